"""Measures the whole service on its real processes, beside the bare server where that says more."""
