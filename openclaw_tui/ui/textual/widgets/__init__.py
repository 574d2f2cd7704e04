"""The widgets of the full screen: one widget, one file."""
