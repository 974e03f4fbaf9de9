"""Simulated clients and benchmarks."""
