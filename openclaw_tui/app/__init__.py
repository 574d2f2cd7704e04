"""The composition root, one file per part of it; the only package that sees all others."""
