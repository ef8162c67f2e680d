"""Fixtures for the tests of destination kinds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.stand_in import Stage, staged


@pytest.fixture(params=list(CASES))
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    """A stage for each kind, or for the one that a test names."""
    with staged(CASES[request.param]) as found:
        yield found
