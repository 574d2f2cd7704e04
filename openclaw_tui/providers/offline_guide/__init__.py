"""The built-in deterministic model that needs nothing."""
