"""From foreign text to rows of styled cells: pure functions, no widget, no event."""
