"""Tests of what connects the program to the world around it."""
