"""Collects the statements of tests, and judges whether each stays in its workspaces."""
