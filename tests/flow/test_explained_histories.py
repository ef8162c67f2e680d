"""What explanations and forecasts say of any sequence of acts equals what is stored, and what happens."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

import peewee
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from tests.flow.crash_injection import CrashInjector
from tests.flow.model_explained import contradictions, foretold
from tests.flow.test_incident_machine import Incidents
from tests.runner.amounts import amount

pytestmark = pytest.mark.slow

FORETOLD_AT_THE_END = 4

EXAMPLES = amount("TEST_HISTORIES", usual=40, long=400) // 3


class Explained(Incidents):
    """The same histories. Now and then somebody reads the forecast, and waits for it; at the end all is explained."""

    figures: ClassVar[Counter[str]] = Counter()

    @precondition(lambda self: self.twin.model.cases)
    @rule()
    def what_is_foretold_comes_true(self) -> None:
        assert foretold(self.twin, self.figures) == []

    def teardown(self) -> None:
        """Nothing that is explained contradicts what happened, and what is foretold at the end comes true."""
        if hasattr(self, "twin"):
            wrong = [each for _ in range(FORETOLD_AT_THE_END) for each in foretold(self.twin, self.figures)]
            found, others = contradictions(self.twin)
            self.figures.update(found, histories=1)
            assert (wrong, others) == ([], [])


def test_what_is_explained_and_foretold_is_what_happens(ground: peewee.Database) -> None:
    chosen = settings(
        max_examples=EXAMPLES, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
    )
    with CrashInjector() as Incidents.crash_injector:
        run_state_machine_as_test(Explained, settings=chosen)
    print(", ".join(f"{count:,} {name}" for name, count in sorted(Explained.figures.items())))
