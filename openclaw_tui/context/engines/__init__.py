"""Built-in context engines, one file each."""
