"""Benchmarks, one module each; ``table.py`` lists them."""
