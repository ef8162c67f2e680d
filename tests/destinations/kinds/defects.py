"""Requests with one defect each, made of those that a kind sends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from tests.destinations.kinds.notice_bodies import LINKS
from tests.destinations.kinds.stand_in import Case, staged
from tests.stand_ins.receivers import Answer, Request

TURNS = (("test", ()), ("opened", LINKS), ("escalated", LINKS), ("acknowledged", LINKS), ("resolved", ()))
"""The notices of an incident, and the acts that are possible then."""

Path = tuple[str | int, ...]
"""Where a member of a body is: the names and places from the outside in."""

FORM = "application/x-www-form-urlencoded"


class Turn(NamedTuple):
    """A request that the service takes, and those before it."""

    before: tuple[Request, ...]
    request: Request

    def answer(self, case: Case, request: Request) -> Answer:
        """What a new service answers to the request after those before it."""
        service = case.service()
        for each in self.before:
            assert service(each).status < 300, service.violations
        return service(request)


def turns(case: Case) -> list[Turn]:
    """The requests for an incident from its beginning to its end."""
    with staged(case) as stage:
        for reason, links in TURNS:
            stage.action_links = links
            stage.send(reason)
        sent = [request for _, _, request in stage.calls()]
    return [Turn(tuple(sent[:place]), request) for place, request in enumerate(sent)]


def first_with(found: list[Turn], path: Path) -> Turn:
    """The first of the turns whose body has a member there."""
    return next(turn for turn in found if member(body_of(turn.request), path) is not None)


def body_of(request: Request) -> Any:
    """The JSON of the request, or the parameters of its form."""
    if request.headers["content-type"].startswith(FORM):
        return dict(parse_qsl(request.body.decode()))
    return json.loads(request.body)


def with_body(request: Request, body: Any) -> Request:
    """The request with another body of the same type."""
    is_form = request.headers["content-type"].startswith(FORM)
    return replace(request, body=(urlencode(body) if is_form else json.dumps(body)).encode())


def with_member(request: Request, path: Path, value: Any) -> Request:
    """The request with the value there. `...` removes the member."""
    return with_body(request, _changed(body_of(request), path, value))


def member(body: Any, path: Path) -> Any:
    """The member there; None when there is none."""
    for step in path:
        try:
            body = body[step]
        except (LookupError, TypeError):
            return None
    return body


def _changed(body: Any, path: Path, value: Any) -> Any:
    first, *rest = path
    if isinstance(body, list):
        assert isinstance(first, int)
        return [*body[:first], _changed(body[first], tuple(rest), value) if rest else value, *body[first + 1 :]]
    new = _changed(body[first], tuple(rest), value) if rest else value
    return {name: each for name, each in {**body, first: new}.items() if each is not ...}


def with_headers(request: Request, **changed: str | None) -> Request:
    """The request with other headers; None removes one."""
    named = {name.replace("_", "-"): value for name, value in changed.items()}
    return replace(
        request, headers={name: value for name, value in {**request.headers, **named}.items() if value is not None}
    )


def defects(body: Any, free: frozenset[str] = frozenset()) -> Iterator[Any]:
    """The message with a member that nobody knows, and with each of its texts as a number, at every place of it.

    Members of `free` stay as they are.
    """
    if isinstance(body, list):
        for place, each in enumerate(body):
            yield from ([*body[:place], changed, *body[place + 1 :]] for changed in defects(each, free))
    if isinstance(body, dict):
        yield {**body, "unknown": 1}
        for name, value in body.items():
            if name in free:
                continue
            yield from (
                {**body, name: changed} for changed in ([5] if isinstance(value, str) else defects(value, free))
            )
