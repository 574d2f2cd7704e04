"""The loop: session, turn, attempt, recovery."""
