"""The system prompt: sections, order, cache boundary, bootstrap files."""
