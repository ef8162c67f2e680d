"""Arbitrary match expressions: their text, their trace, and text that is refused with a position."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.routing import matchers
from inbox.domain.routing.matchers.fields import FIELDS, LENGTH_LIMIT, OPS, FieldKind, Op
from inbox.domain.routing.matchers.tree import clauses as clauses_of
from inbox.domain.values.severity import ALIASES, Severity
from tests.domain.routing.matchers.matching import Seen, clause

texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=40)


tricky = st.text(st.sampled_from('\\"nrtu{}0dé\n\t\u202e()=,'), min_size=1, max_size=12)


words = texts | tricky


numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(-9e18, 9e18, allow_nan=False)


severities = st.sampled_from([*map(str, Severity), *ALIASES, "Error", "success"])


patterns = st.sampled_from([r"^host:db", r"\d+\.\w", '"', r"\\", r"\bx\b", "a\nb", r"(?i)é", r"\x{41}", "\\\n"])


keys = st.from_regex(r"[\w/@-]{1,8}", fullmatch=True) | st.sampled_from(['"a.b"', r'"\"x\\"', '"and ("', '"="'])


paths = st.lists(keys, min_size=1, max_size=3).map(lambda keys: ".".join(["metadata", *keys]))


def values(kind: FieldKind, op: Op) -> st.SearchStrategy[Any]:
    if op is Op.EXISTS:
        return st.booleans()
    if op is Op.MATCHES:
        return patterns
    if kind is FieldKind.SEVERITY:
        return severities
    if kind is FieldKind.ACTION:
        return st.sampled_from(["trigger", "resolve"])
    if op in (Op.GTE, Op.LTE):
        return numbers
    if kind is FieldKind.METADATA and op in (Op.EQ, Op.NE, Op.IN, Op.NOT_IN):
        return words | numbers | st.booleans() | st.just("")
    return words


@st.composite
def clauses(draw: st.DrawFn) -> dict[str, Any]:
    existing = draw(st.sampled_from([*FIELDS.values(), None]))
    name, kind = (existing.name, existing.kind) if existing else (draw(paths), FieldKind.METADATA)
    op = draw(st.sampled_from(sorted(OPS[kind])))
    value = values(kind, op)
    several = op in (Op.IN, Op.NOT_IN)
    return clause(name, str(op), draw(st.lists(value, min_size=1, max_size=4) if several else value))


def trees(depth: int) -> st.SearchStrategy[Any]:
    if depth == 0:
        return clauses()
    parts = st.lists(trees(depth - 1), min_size=1, max_size=2)
    groups = st.fixed_dictionaries({"all": parts}) | st.fixed_dictionaries({"any": parts})
    return clauses() | groups | st.fixed_dictionaries({"not": trees(depth - 1)})


@given(trees(4))
def test_any_tree_comes_back_from_its_text_on_one_line(tree: Any) -> None:
    assert matchers.check(tree) == []
    text = matchers.to_text(tree)
    assert text.isprintable()
    assert json.dumps(matchers.from_text(text)) == json.dumps(matchers.canonical(tree))


@given(trees(4))
def test_a_canonical_match_has_one_text_equal_meaning_and_no_alias(tree: Any) -> None:
    canonical = matchers.canonical(tree)

    assert matchers.check(canonical) == []
    assert matchers.canonical(canonical) == canonical
    assert json.dumps(matchers.from_text(matchers.to_text(canonical))) == json.dumps(canonical)
    assert set(named(canonical)) <= set(map(str, Severity))
    for severity in Severity:
        seen = Seen(severity=severity)
        assert matchers.compile_match(canonical)(seen) is matchers.compile_match(tree)(seen)


def named(tree: Any) -> list[str]:
    """The severities that stand in a tree."""
    found = [clause.value for clause in clauses_of(tree) if clause.field.name == "severity" and clause.op != "exists"]
    return [name for value in found for name in (value if isinstance(value, list) else [value])]


@given(trees(4), st.sampled_from(Severity), st.lists(words, max_size=2), st.dictionaries(words, words, max_size=2))
def test_a_trace_agrees_with_the_match_and_its_steps_with_it(
    tree: Any, severity: Severity, tags: list[str], metadata: dict[str, Any]
) -> None:
    seen = Seen(severity=severity, tags=tags, metadata=metadata, type="a", body=r"\d", resource="host:db")
    trace = matchers.trace(tree, seen)
    assert trace.matched is matchers.compile_match(tree)(seen)
    assert {step.matched for step in trace.steps} == {trace.matched}
    assert json.loads(json.dumps(trace.record())) == trace.record()


pieces = st.sampled_from(
    ["title", "severity", "metadata.x", "and", "or", "not", "all", "any", "event", "(", ")", "=", ">=", "in", ",",
     "exists", "matches", '"x"', '"(', "5", "true", "ERROR", " ", "\\", "\x00"]
)  # fmt: skip


@given(st.lists(pieces, max_size=12).map(" ".join) | st.text(max_size=40))
def test_any_text_is_read_or_refused_with_a_position(text: str) -> None:
    try:
        tree = matchers.from_text(text)
    except matchers.BadMatch as bad:
        assert all(fault.detail.startswith("at character ") for fault in bad.faults)
    else:
        assert matchers.from_text(matchers.to_text(tree)) == tree


def test_a_name_may_be_as_long_as_a_path_gets() -> None:
    name = "metadata." + "a" * (LENGTH_LIMIT - len("metadata."))
    assert matchers.from_text(f"{name} exists") == clause(name, "exists", True)
