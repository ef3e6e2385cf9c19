"""Tools: the registry and the built-in ones."""
