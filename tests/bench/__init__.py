"""Measurements for people: they print figures and assert nothing about time."""
