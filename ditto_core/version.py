"""The version, a constant: reading package metadata costs more than the whole interpreter start."""

__version__ = "0.1.0"
