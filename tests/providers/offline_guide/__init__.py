"""Tests of the built-in deterministic model."""
