"""Each endpoint is declared with its route, and none is served without a declaration."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import flask
import pytest

import inbox.api
from app import create_app
from inbox.api.blueprints import BLUEPRINTS, PAGES
from inbox.api.http.blueprint import Blueprint, Pages
from inbox.api.http.policy import NONE, POLICY, EndpointPolicy, PolicyIncomplete
from inbox.config.settings import Settings


def blueprints_of_modules() -> Iterator[flask.Blueprint]:
    for module in pkgutil.walk_packages(inbox.api.__path__, "inbox.api."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, flask.Blueprint):
                yield value


@pytest.fixture
def without_new_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The endpoints of a test are gone after it."""
    for name in ("new.read", "new.write"):
        monkeypatch.setitem(POLICY, name, EndpointPolicy())
        monkeypatch.delitem(POLICY, name)


def test_every_blueprint_is_served_once() -> None:
    served: list[flask.Blueprint] = [*BLUEPRINTS, PAGES]

    assert {each.name for each in blueprints_of_modules()} == {each.name for each in served}
    assert len({each.name for each in served}) == len(served)


@pytest.mark.parametrize("blueprint", [Blueprint("new", __name__, section="2.1"), Pages("new", __name__)], ids=type)
def test_a_route_without_a_policy_is_refused_when_it_is_declared(blueprint: flask.Blueprint) -> None:
    with pytest.raises(PolicyIncomplete, match=r"new\.read"):
        blueprint.route("/new", methods=["GET"], endpoint="read")(lambda: "")

    assert "new.read" not in POLICY


@pytest.mark.usefixtures("without_new_lines")
@pytest.mark.parametrize("blueprint", [Blueprint("new", __name__, section="2.1"), Pages("new", __name__)], ids=type)
def test_the_policy_above_a_view_is_in_the_table(blueprint: flask.Blueprint) -> None:
    declared = EndpointPolicy(NONE, workspace_from="none", quiet=True)

    blueprint.route("/new", methods=["GET"], endpoint="read")(declared(lambda: ""))

    assert POLICY["new.read"] is declared


@pytest.mark.usefixtures("without_new_lines")
def test_decorators_between_route_and_policy_keep_the_policy() -> None:
    blueprint, declared = Blueprint("new", __name__, section="2.1"), EndpointPolicy(NONE, workspace_from="none")

    @blueprint.route("/new", methods=["POST"], endpoint="write")
    @blueprint.refuses("conflict")
    @blueprint.response(204)
    @declared
    def write() -> None:
        """Write"""

    assert POLICY["new.write"] is declared


def test_an_endpoint_that_was_added_without_a_policy_is_not_answered(settings: Settings) -> None:
    app, called = create_app(settings), []
    app.add_url_rule("/new", "new", lambda: called.append("new") or "secret")

    answer = app.test_client().get("/new")

    assert (answer.status_code, called) == (500, [])
