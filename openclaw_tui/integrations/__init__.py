"""Bridges to the world outside the conversation."""
