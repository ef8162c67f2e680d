"""Measurements of the whole service on its real processes, each beside the bare server where that says more."""
