"""One table of scenarios, every adapter."""
