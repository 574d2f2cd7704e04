"""Slash commands shared by all front ends; they return plain data."""
