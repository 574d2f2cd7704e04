"""openclaw_tui: a terminal coding agent whose context is visible and whose memory is not lost by accident."""

__version__ = "0.1.0"
