"""Tests of the prompt package."""
