"""The request pipeline, budgets, the tool-result guard, cache watching and engines."""
