"""What makes a message list legal for a provider; engines cannot bypass it."""
