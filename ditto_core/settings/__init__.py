"""ditto.yaml and the environment as typed data."""
