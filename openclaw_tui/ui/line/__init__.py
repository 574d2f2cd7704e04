"""The line mode, on prompt-toolkit."""
