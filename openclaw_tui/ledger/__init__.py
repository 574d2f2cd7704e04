"""What each layer did to the context, why, and the way back."""
