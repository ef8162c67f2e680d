"""A database that refuses work while it answers: after a failover, or after it ended the transaction."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.fault_triggers import row_trigger
from tests.flow.routing_fixtures import incident, routed

Browsers = Callable[[str], Browser]


@pytest.mark.parametrize("code", ["25006", "25P03"], ids=["read-only", "stood still"])
def test_a_temporary_database_error_is_answered_as_unavailable_and_may_be_retried(
    browser: Browsers, cast: Cast, code: str
) -> None:
    existing = incident(routed(cast.source, present() - timedelta(minutes=1)).id)
    id, mia = typeid("inc", existing.id), browser("mia")

    with row_trigger(f"RAISE EXCEPTION 'x' USING ERRCODE = '{code}'", table="incidents", on="UPDATE"):
        alone = mia.post(f"/v1/incidents/{id}/acknowledge")
        among_many = mia.post("/v1/incidents/bulk", {"ids": [id], "action": "acknowledge"})

    assert (alone.status_code, alone.json["code"]) == (503, "unavailable")
    assert [(each["status"], each["code"]) for each in among_many.json["results"]] == [(503, "unavailable")]
    assert mia.post(f"/v1/incidents/{id}/acknowledge").status_code == 200
