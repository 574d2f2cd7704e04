"""The interface: text, line mode and the full screen."""
