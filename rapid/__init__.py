"""President in rapid mode: a real table, a real race (see README.md)."""

__version__ = "0.1.0"
