"""The tests of the import goalert."""

import json

from tests.intake.importers.goalert.fixtures import answers

SEED = json.dumps(answers()).encode()
"""A set-up from which the fuzzer begins."""
