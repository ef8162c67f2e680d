"""What is answered of a record is what marshmallow dumps of it, for each schema and whatever the record has."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import marshmallow as ma
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import app
from inbox.api.paging import Page
from inbox.api.schemas.base import Minutes, Prerendered, Schema, SeverityName, Timestamp, TypeId
from inbox.api.schemas.incidents import IncidentRecord
from inbox.domain.severity import Severity

assert app.BLUEPRINTS  # with which all schemas are there

ODD = st.sampled_from([None, None, 7, True, 2.5, "7", "", {}, [], (), UUID(int=5), Severity.ERROR, b"x"])
FITTING: dict[type[Any], st.SearchStrategy[Any]] = {
    TypeId: st.uuids(),
    Timestamp: st.datetimes(timezones=st.sampled_from([UTC, None])).map(lambda at: at.replace(tzinfo=UTC)),
    SeverityName: st.sampled_from([*Severity, "ERROR"]),
    Minutes: st.timedeltas(timedelta(), timedelta(days=9)),
    Prerendered: st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    ma.fields.String: st.text(max_size=5),
    ma.fields.Integer: st.integers(),
    ma.fields.Float: st.floats(allow_nan=False),
    ma.fields.Boolean: st.booleans(),
    ma.fields.Dict: st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
}


def schemas(parent: type[ma.Schema] = Schema) -> Iterator[type[ma.Schema]]:
    for each in parent.__subclasses__():
        if each.__module__.startswith("inbox."):
            yield each
        yield from schemas(each)


ALL = sorted(
    {f"{each.__module__}.{each.__qualname__}": each for each in schemas() if not issubclass(each, Page)}.items()
)


def values(field: ma.fields.Field[Any], deep: int) -> st.SearchStrategy[Any]:
    """What a field mostly has, and at times what it should not."""
    if isinstance(field, ma.fields.List):
        return st.lists(values(field.inner, deep), max_size=2)
    if isinstance(field, ma.fields.Nested) and not isinstance(field, Prerendered):
        return records(field.schema, deep + 1) if deep < 1 else st.none()
    fitting = next((each for kind, each in FITTING.items() if isinstance(field, kind)), ODD)
    return st.one_of(fitting, fitting, fitting, ODD)


def records(schema: ma.Schema, deep: int = 0) -> st.SearchStrategy[Any]:
    """Records of several kinds, some of which lack something."""
    names = {name: field.attribute or name for name, field in schema.dump_fields.items()}
    fields = {at: values(schema.dump_fields[name], deep) for name, at in names.items() if "." not in at}
    whole = st.fixed_dictionaries(fields)
    some = st.fixed_dictionaries({}, optional=fields)
    kinds: list[Callable[[dict[str, Any]], Any]] = [dict, namespace, row, Keyed]
    return st.builds(lambda kind, has: kind(has), st.sampled_from(kinds), st.one_of(whole, whole, some))


class Keyed(dict[str, Any]):
    """A dictionary of another kind."""


def namespace(has: dict[str, Any]) -> Any:
    return SimpleNamespace(**has)


def row(has: dict[str, Any]) -> Any:
    return namedtuple("Row", has)(**has)


def outcome(dump: Callable[..., Any], *given: Any, **more: Any) -> Any:
    """What is answered, with its types; None where it cannot be written."""
    try:
        return repr(dump(*given, **more))
    except (AttributeError, TypeError, ValueError):
        return None


@pytest.mark.parametrize("schema", [each for _, each in ALL], ids=[name for name, _ in ALL])
def test_a_schema_answers_what_marshmallow_would(schema: type[ma.Schema]) -> None:
    mine = schema()

    @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(records(mine), max_size=3))
    def check(found: list[Any]) -> None:
        for one in found:
            assert outcome(mine.dump, one) == outcome(ma.Schema.dump, mine, one)
        assert outcome(mine.dump, found, many=True) == outcome(ma.Schema.dump, mine, found, many=True)

    check()


class Shout(ma.fields.String):
    """A field that writes in a way of its own."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str:
        return f"{value}!"


class Odd(Schema):
    """All that no schema of ours does."""

    loud = Shout()
    at_hand = ma.fields.String(dump_default="none")
    made = ma.fields.Function(lambda record: "made")
    deep = ma.fields.String(attribute="inner.name")
    digits = ma.fields.Integer(as_string=True)
    hidden = ma.fields.String(load_only=True)
    plain_name = ma.fields.String(data_key="other-name")
    several = ma.fields.List(Shout())
    class_level = Timestamp(dump_default=lambda: datetime(2026, 3, 1, tzinfo=UTC))


class Hooked(Schema):
    """A schema that has the last word."""

    name = ma.fields.String()

    @ma.post_dump
    def _shout(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {"name": data["name"].upper()}


@pytest.mark.parametrize("lacking", ["", "loud", "at_hand", "inner", "digits", "plain_name", "several", "class_level"])
def test_fields_that_write_in_a_way_of_their_own_do(lacking: str) -> None:
    has = {"loud": "hey", "at_hand": "x", "inner": SimpleNamespace(name="deep"), "digits": 7, "hidden": "h",
           "plain_name": "n", "several": ["a", "b"], "class_level": datetime(2026, 3, 2, tzinfo=UTC)}  # fmt: skip
    has.pop(lacking, None)
    odd = Odd()

    for kind in (dict, namespace, row, Keyed):
        assert odd.dump(kind(has)) == ma.Schema.dump(odd, kind(has))
        assert odd.dump([kind(has)] * 2, many=True) == ma.Schema.dump(odd, [kind(has)] * 2, many=True)
    assert Odd(many=True, only=("loud",)).dump([namespace(has)] if lacking != "loud" else []) == (
        [{"loud": "hey!"}] if lacking != "loud" else []
    )


def test_hooks_are_called() -> None:
    assert Hooked().dump({"name": "mia"}) == {"name": "MIA"}
    assert Hooked().dump([{"name": "mia"}], many=True) == [{"name": "MIA"}]


def test_what_is_nested_with_other_fields_is_compiled_anew() -> None:
    inner = Odd()
    assert set(inner.dump(namespace({"loud": "a", "digits": 1}))) > {"loud", "digits"}

    class Outer(Schema):
        odd = ma.fields.Nested(inner, only=("digits",))

    assert Outer().dump({"odd": {"loud": "a", "digits": 1}}) == {"odd": {"digits": "1"}}


def test_records_of_a_list_are_written_without_marshmallow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a page costs three times as much: `serialize` is what marshmallow does with each field of each record."""
    has = {
        **dict.fromkeys([*IncidentRecord().fields, "acknowledger"]),
        "id": UUID(int=1),
        "title": "Disk",
        "tags": ["prod"],
    }
    called: list[Any] = []
    monkeypatch.setattr(ma.fields.Field, "serialize", called.append)

    (dumped,) = IncidentRecord().dump([namespace(has)], many=True)

    assert (dumped["title"], dumped["tags"]) == ("Disk", ["prod"])
    assert IncidentRecord().dump(has) == dumped
    assert called == []
