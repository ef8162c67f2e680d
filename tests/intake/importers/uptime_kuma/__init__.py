"""The tests of the import uptime_kuma."""

SEED = b'{"version":"1.23","monitorList":[{"id":1,"name":"Job","type":"push","interval":60}]}'
"""A set-up from which the fuzzer begins."""
