"""Webhooks in front of the framework have a budget of work, which ends with them (specification 2.10)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from inbox.runtime import work_budget
from tests.api.senders.test_hooks import bearer, hook
from tests.cast import Cast


@pytest.fixture
def nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each budget that begins is spent already."""
    monkeypatch.setattr(work_budget, "REQUEST_SECONDS", -1.0)
    yield
    work_budget.end()


def test_a_webhook_spends_from_a_budget(app: Flask, cast: Cast, nothing_left: None) -> None:
    answer = hook(app, bearer(cast.key))

    assert (answer.status_code, answer.get_json()["code"]) == (422, "too_costly")


def test_the_budget_ends_with_the_webhook(app: Flask, cast: Cast, nothing_left: None) -> None:
    hook(app, bearer(cast.key), json={"alerts": 1})

    work_budget.spend("Nothing is spent outside a request.")


def test_a_webhook_does_not_spend_from_the_budget_of_a_request_before_it(app: Flask, cast: Cast) -> None:
    work_budget.begin(-1.0)
    try:
        assert hook(app, bearer(cast.key)).status_code == 202
    finally:
        work_budget.end()
