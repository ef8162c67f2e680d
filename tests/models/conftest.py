"""Sixty incidents and events for lists of all sorts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.domain.values import ids
from tests.cast import NOW, Cast, make_source
from tests.models.rows import PROFILE, RULE, SILENCE, event, incident


@pytest.fixture
def names(cast: Cast) -> dict[str, str]:
    """Sixty incidents and events of three sources, full of ties; some live long, some have been seen across the moments."""
    homes = [cast.source, cast.foreign_source, make_source(cast.workspace, cast.foreign_source.name)[0]]
    made = [incident(homes[place % 3], place, cast.users["mia"].id) for place in range(60)]
    for place in range(60):
        event(homes[place % 3], place, made[place // 2].id)
    return {
        "source": ids.encode("src", homes[2].id),
        "other": ids.encode("src", homes[0].id),
        "rule": ids.encode("rul", RULE),
        "profile": ids.encode("prf", PROFILE),
        "silence": ids.encode("sil", SILENCE),
        "person": ids.encode("usr", cast.users["mia"].id),
        "incident": ids.encode("inc", made[0].id),
        "since": (NOW + timedelta(minutes=8)).isoformat().replace("+", "%2B"),
        "until": (NOW + timedelta(minutes=14)).isoformat().replace("+", "%2B"),
    }
