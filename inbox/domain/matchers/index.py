"""Which of many matches an event meets: what each wants of one field alone is looked up for all at once, the rest asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any, cast

from inbox.domain.matchers import value_index
from inbox.domain.matchers.clauses import clause_of
from inbox.domain.matchers.compile import Test, children, compile_test
from inbox.domain.matchers.fields import Subject
from inbox.domain.matchers.value_index import Lookup, RuleBits

FEWEST = 2
"""With fewer matches that want a field to be something, to ask costs as little as to look up."""


class Index:
    """Checked matches by their places. Of what must hold for a match these parts are not asked of each event and match:

    - what is about its source alone, which is the same for many events (`of_source`),
    - what is about its severity alone, and a clause that wants a field to be something that others want to be something,
      too: a table knows who may be met (`candidates`).
    """

    def __init__(self, matches: Sequence[Any]) -> None:
        parts = [list(_parts(tree)) for tree in matches]
        self._every = (1 << len(parts)) - 1
        self._of_source = _extract_tests(parts, "source")
        severity = _extract_tests(parts, "severity")
        self._tables: tuple[Lookup, ...] = (value_index.of_severity(severity, self._every),) if severity else ()
        self._tables += tuple(_tables(parts, self._every))
        self._tests = tuple(compile_test({"all": left}) if left else None for left in parts)

    def of_source(self, source_id: str, name: str) -> RuleBits:
        """Those that events of this source may meet, as long as it keeps its name; `source_id` is a TypeID."""
        subject = cast(Subject, SimpleNamespace(source_id=source_id, source_name=name))
        refused = (place for place, holds in self._of_source.items() if not holds(subject))
        return self._every & ~value_index.bits(refused)

    def candidates(self, subject: Subject, among: RuleBits) -> RuleBits:
        """Of those the ones that it meets if what is left to be `test_of` holds; it meets none of the others."""
        for look in self._tables:
            if not among:
                break
            among &= look(subject)
        return among

    def test_of(self, place: int) -> Test | None:
        """What tells whether a candidate is met; None: it is."""
        return self._tests[place]


def _parts(tree: Any) -> Iterator[Any]:
    """What must hold for it, all together."""
    if "all" in tree:
        for child in tree["all"]:
            yield from _parts(child)
    else:
        yield tree


def _extract_tests(parts: list[list[Any]], name: str) -> dict[int, Test]:
    """By place a test of the parts that look at this field alone; they are taken out."""
    tests = {}
    for place, needed in enumerate(parts):
        taken = [part for part in needed if set(_names(part)) == {name}]
        if taken:
            tests[place] = compile_test({"all": taken})
            parts[place] = [part for part in needed if part not in taken]
    return tests


def _names(node: Any) -> Iterator[str]:
    """The fields at which it looks."""
    if "field" in node:
        yield node["field"]
    else:
        for child in children(node):
            yield from _names(child)


def _tables(parts: list[list[Any]], every: RuleBits) -> Iterator[Lookup]:
    """Tables of the fields that several want to be something, the most wanted first; the clauses are taken out.

    Of each match one clause a field: of a list one entry may satisfy the first, and another one the next.
    """
    wanted: dict[str, dict[int, Any]] = {}
    for place, needed in enumerate(parts):
        for part in needed:
            if "field" in part and value_index.is_indexable(clause_of(part)):
                wanted.setdefault(part["field"], {}).setdefault(place, part)
    for those in sorted(wanted.values(), key=len, reverse=True):
        if len(those) >= FEWEST:
            for place, part in those.items():
                parts[place].remove(part)
            yield value_index.of_values({place: clause_of(part) for place, part in those.items()}, every)
