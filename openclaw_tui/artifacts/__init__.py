"""What was taken out of the context, recoverable."""
