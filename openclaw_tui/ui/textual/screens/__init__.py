"""The screens of the full-screen application, one file each."""
