"""Creates routing profiles over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.models.deliveries.destinations import Destination
from inbox.models.routing.profiles import RoutingProfile
from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.stand_ins.outgoing_posts import make_destination, make_profile

Browsers = Callable[[str], Browser]


NOWHERE = "http://127.0.0.1:9/"


ALL = "/v1/routing-profiles"


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def destination(cast: Cast) -> Destination:
    return make_destination(cast.workspace, NOWHERE, name="Pager")


@pytest.fixture
def to(destination: Destination) -> str:
    return typeid("dst", destination.id)


@pytest.fixture
def profile(cast: Cast, destination: Destination) -> RoutingProfile:
    return make_profile(cast.workspace, destination)


@pytest.fixture
def path(profile: RoutingProfile) -> str:
    return f"{ALL}/{typeid('prf', profile.id)}"


def a_step(*to: str, after: Any = 0, **more: Any) -> dict[str, Any]:
    return {"afterMinutes": after, "destinationIds": list(to), **more}


def pointers(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return [each["pointer"] for each in answer.json["errors"]]
