"""The tests of the import alertmanager."""

SEED = b"route:\n  receiver: ops\n  routes:\n  - matchers: [team=db]\n    receiver: db\nreceivers:\n- name: ops\n"
"""A set-up from which the fuzzer begins."""
