"""Creating the items of an import spends from the budget of its request, and is undone when nothing is left."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from inbox.domain.values.refusals import TooCostly
from inbox.intake.importers import crontab
from inbox.intake.importers.plan import MAX_ITEMS, Plan
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.records.imports import ImportedRecord
from inbox.models.senders.sources import Source
from inbox.runtime import work_budget
from inbox.services.senders import imports
from tests.api.imports.imports_steps import IMPORT, PREVIEW, adam, draft  # noqa: F401  a fixture
from tests.browser import Browser
from tests.cast import Cast, present


@pytest.fixture(autouse=True)
def no_budget_afterwards() -> Iterator[None]:
    yield
    work_budget.end()


def plan_of(count: int) -> Plan:
    return crontab.read("\n".join(f"{n % 60} 3 * * * job{n}" for n in range(count)), timezone="UTC", has_user=False)


def test_a_creation_that_computes_too_long_is_refused_and_undone(cast: Cast) -> None:
    before, plan = Source.select().count(), plan_of(50)
    work_budget.begin(0.01)

    with pytest.raises(TooCostly, match=r"Import fewer items at a time\.$"):
        imports.create(cast.workspace.id, plan, None, by=None, now=present())

    assert (Source.select().count(), HeartbeatMonitor.select().count()) == (before, 0)
    assert ImportedRecord.select().count() == 0


@pytest.mark.slow
def test_a_plan_with_all_its_items_is_created_by_one_request(adam: Browser, cast: Cast) -> None:
    document = "\n".join(f"{n % 60} 3 * * * job{n}" for n in range(MAX_ITEMS - 1))

    previewed = adam.post(PREVIEW, draft(cast, document=document))
    created = adam.post(IMPORT, draft(cast, document=document))

    assert (previewed.status_code, created.status_code) == (200, 201), created.json
    assert len(created.json["items"]) == MAX_ITEMS
    assert HeartbeatMonitor.select().count() == MAX_ITEMS - 1
