"""The tests of the import crontab."""

SEED = b"# min hour\nMAILTO=me\n*/5 * * * * /usr/bin/backup --all\n@daily cleanup\n"
"""A set-up from which the fuzzer begins."""
