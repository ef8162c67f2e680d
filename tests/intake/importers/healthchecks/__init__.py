"""The tests of the import healthchecks."""

SEED = b'{"checks":[{"name":"Backup","timeout":3600,"grace":60,"slug":"backup"}]}'
"""A set-up from which the fuzzer begins."""
