"""Session keys, bindings and the route of a message."""
