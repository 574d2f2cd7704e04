"""Settings: the packages' records side by side, read from their places in order."""
