"""Front ends; they own no agent state."""
