"""Sixty incidents and events that lists of all sorts find, and pages that are in no hurry."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from inbox.domain import ids
from inbox.models import pacing, turning
from inbox.models.incidents import Incident
from tests.cast import NOW, Cast, make_source
from tests.models.rows import event, incident

LITTLE = {"FIRST_LOOKED_AT": 6, "LEAST_LOOKED_AT": 1}


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of few rows, and a minute for what is broken off after milliseconds: the machine may be slow."""
    for limit, value in {**LITTLE, "LATEST": 240}.items():
        monkeypatch.setattr(pacing, limit, value)
    monkeypatch.setattr(turning, "GATHERED", 60)


@pytest.fixture
def names(cast: Cast) -> dict[str, str]:
    """Sixty incidents and events of three sources, full of ties; some live long, some have been seen across the moments."""
    homes = [cast.source, cast.foreign_source, make_source(cast.workspace, cast.foreign_source.name)[0]]
    made = [incident(homes[place % 3], place, cast.users["mia"].id) for place in range(60)]
    for place in range(60):
        event(homes[place % 3], place, made[place // 2].id)
    return {
        "source": ids.encode("src", homes[2].id),
        "person": ids.encode("usr", cast.users["mia"].id),
        "incident": ids.encode("inc", made[0].id),
        "since": (NOW + timedelta(minutes=8)).isoformat().replace("+", "%2B"),
        "until": (NOW + timedelta(minutes=14)).isoformat().replace("+", "%2B"),
    }


@pytest.fixture
def far_off(cast: Cast, names: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """The workspaces whose seven flapping incidents, of sixty, come last by title; they are walked to."""
    Incident.update(title="Zzz").where(Incident.flapping).execute()
    monkeypatch.setattr(turning, "DEAR", -1)
    return [cast.workspace.id, cast.foreign.id]
