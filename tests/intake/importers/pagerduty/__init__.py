"""The tests of the import pagerduty."""
