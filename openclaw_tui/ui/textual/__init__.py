"""The full screen, on Textual."""
