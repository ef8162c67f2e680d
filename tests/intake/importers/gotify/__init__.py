"""The tests of the import gotify."""

SEED = b'[{"id":1,"name":"NAS","token":"AbCdEf"}]'
"""A set-up from which the fuzzer begins."""
