"""The tests of the import pagerduty."""

import json

from tests.intake.importers.pagerduty.fixtures import answers

SEED = json.dumps(answers()).encode()
"""A set-up from which the fuzzer begins."""
