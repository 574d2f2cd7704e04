"""Tests of the skills package."""
