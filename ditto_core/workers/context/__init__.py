"""CONTEXT: what a model will see, as explicit data."""
