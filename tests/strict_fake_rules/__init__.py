"""The fake itself is tested here: what it refuses, what it accepts, and how it answers."""
