"""Discovery and index of SKILL.md files."""
