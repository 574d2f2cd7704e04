"""Tests that hold the shape of the code: layers, absent modules, ceilings, homes."""
