"""Model providers: one protocol, one registry."""
