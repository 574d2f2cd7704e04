"""Replacing old history by a summary."""
