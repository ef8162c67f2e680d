"""The operations of the API, as the document describes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from flask import Flask
from werkzeug.routing import Rule

from tests.api.samples import SAMPLES, Sample
from tests.api.stage import IDS, Stage


@dataclass(frozen=True)
class Operation:
    """One method of one route, with what the document says about it."""

    endpoint: str
    method: str
    rule: Rule
    described: dict[str, Any]

    @property
    def sample(self) -> Sample:
        return SAMPLES.get(self.endpoint, Sample())

    @property
    def success(self) -> int:
        """The status for who may do it."""
        if self.sample.status is not None:
            assert str(self.sample.status) in self.described["responses"], "a status that the document does not name"
            return self.sample.status
        found = [int(status) for status in self.described["responses"] if status.startswith("2")]
        assert len(found) == 1, f"{self.endpoint} has no single success: give SAMPLES its status"
        return found[0]

    @property
    def prefixes(self) -> dict[str, str]:
        """The prefix of each id in the path, by its name there."""
        converters = self.rule._converters
        return {name: each.prefix for name, each in converters.items() if hasattr(each, "prefix")}

    def values(self, stage: Stage) -> dict[str, Any]:
        """What the path names: records of the stage."""
        self.prepared(stage)
        values: dict[str, Any] = dict(self.sample.path)
        for name in sorted(self.rule.arguments - values.keys()):
            assert name in IDS, f"{self.endpoint}: tests/api/samples.py does not know what {name} is"
            values[name] = IDS[name](stage)
        return values

    def prepared(self, stage: Stage) -> None:
        if self.sample.before is not None:
            self.sample.before(stage)

    def path(self, app: Flask, values: dict[str, Any]) -> str:
        built = app.url_map.bind("localhost").build(self.endpoint, values, method=self.method)
        return str(built)

    def body(self, stage: Stage) -> Any:
        """What is sent; fails where a body is wanted and none is known."""
        takes = self.described.get("requestBody", {})
        given = self.sample.body
        assert given is not None or not takes, f"{self.endpoint} takes a body: give it a line in tests/api/samples.py"
        return given(stage) if callable(given) else given


@cache
def document_of(app: Flask) -> dict[str, Any]:
    """The document of the app, read once."""
    found: dict[str, Any] = app.test_client().get("/v1/openapi.json").json
    return found


@cache
def operations(app: Flask) -> tuple[Operation, ...]:
    """Every operation that the app answers, as the document describes it."""
    return tuple(_operations(app))


def _operations(app: Flask) -> Iterator[Operation]:
    document = document_of(app)
    for rule in sorted(app.url_map.iter_rules(), key=lambda each: each.endpoint):
        if rule.endpoint.startswith("dashboard."):  # pages and files for browsers, which the document leaves out
            continue
        written = ids_out(rule)
        for method in sorted((rule.methods or set()) - {"HEAD"}):
            described = document["paths"][written][method.lower()]
            yield Operation(rule.endpoint, method, rule, described)


def ids_out(rule: Rule) -> str:
    """The route as the document writes it."""
    return "".join(f"{{{text}}}" if is_dynamic else text for is_dynamic, text in rule._trace).removeprefix("|")
