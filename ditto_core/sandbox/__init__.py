"""Who may do what, and the files that are opened under that rule."""
