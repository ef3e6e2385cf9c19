"""What Nodes say to each other: frozen, JSON-shaped types without behaviour."""
