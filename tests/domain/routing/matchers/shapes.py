"""Matches and events of all shapes, few values each so that they meet."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from inbox.domain.values.severity import Severity
from tests.domain.routing.matchers.matching import SOURCE, Seen, clause

VALUES = ["a", "A", "b", "ß", "SS", 1, 1.0, 0, True, False]
TEXTS = ["a", "A", "b", "job", "JOB", "ß", "SS"]
NAMES = ["Prometheus", "prom", SOURCE]
_EQUAL, _AMONG = ("eq", "ne"), ("in", "notIn")


def _clauses(field: str, values: list[Any], *more: str) -> st.SearchStrategy[dict[str, Any]]:
    value = st.sampled_from(values)
    return st.one_of(
        st.builds(clause, st.just(field), st.sampled_from([*_EQUAL, *more]), value),
        st.builds(clause, st.just(field), st.sampled_from(_AMONG), st.lists(value, min_size=1, max_size=3)),
        st.builds(clause, st.just(field), st.just("exists"), st.booleans()),
    )


clauses = st.one_of(
    _clauses("metadata.team", VALUES),
    _clauses("metadata.team", TEXTS, "contains", "startsWith"),
    _clauses("metadata.cpu", [0, 1, 2.5], "gte", "lte"),
    _clauses("severity", [str(severity) for severity in Severity], "gte", "lte"),
    _clauses("type", TEXTS, "contains", "matches"),
    _clauses("resource.kind", TEXTS),
    _clauses("dedupKey", TEXTS, "endsWith", "matches"),
    _clauses("tags", TEXTS, "contains", "matches"),
    _clauses("source", NAMES, "startsWith"),
    _clauses("action", ["trigger", "resolve"]),
)
trees = st.recursive(
    clauses,
    lambda below: st.one_of(
        st.builds(lambda found: {"all": found}, st.lists(below, min_size=1, max_size=3)),
        st.builds(lambda found: {"any": found}, st.lists(below, min_size=1, max_size=3)),
        st.builds(lambda one: {"not": one}, below),
    ),
    max_leaves=6,
)
_text = st.sampled_from([None, *TEXTS])
_found = st.one_of(
    st.sampled_from([None, *VALUES]), st.lists(st.sampled_from([None, *VALUES]), max_size=3), st.just({"x": 1})
)
events = st.builds(
    Seen,
    severity=st.sampled_from(list(Severity)),
    type=_text,
    resource=st.one_of(_text, st.builds("{}:{}".format, st.sampled_from(TEXTS), st.sampled_from(TEXTS))),
    dedup_key=_text,
    tags=st.lists(st.sampled_from(TEXTS), max_size=3),
    action=st.sampled_from(["trigger", "resolve"]),
    source_id=st.sampled_from([SOURCE, "src_01h455vb4pex5vsknk084sn02r"]),
    source_name=st.sampled_from(NAMES),
    metadata=st.none() | st.fixed_dictionaries({}, optional={"team": _found, "cpu": _found}),
)
