"""The main path and the lists work on an unconfigured PostgreSQL."""

from __future__ import annotations

import pytest

from tests.database import on_debian
from tests.database.clusters import debian_programs

pytestmark = pytest.mark.slow


@pytest.mark.skipif(debian_programs() is None, reason="Debian's package postgresql-15 is not installed")
def test_claims_sessions_and_plans_of_lists_are_the_same_on_debians_postgresql() -> None:
    """All of the main path takes minutes: `python -m tests.database.on_debian` runs it."""
    assert on_debian.run(on_debian.SHORT).returncode == 0
