"""INFER: one sample from a model provider."""
