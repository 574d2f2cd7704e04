"""Tests of openclaw_tui.providers."""
