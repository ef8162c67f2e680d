"""The parser of the text of a match. Its errors name the position, the expected text and the found text.

Specification 6.4.

match  = "any event" | either
either = both ("or" both)*
both   = part ("and" part)*
part   = "not" part | ("all" | "any")? "(" either ")" | clause
clause = field ("exists" | "missing" | sign value | ("in" | "not in") "(" value ("," value)* ")")
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

from inbox.domain.routing.matchers.clauses import TOO_MANY_VALUES, VALUES_LIMIT
from inbox.domain.routing.matchers.fields import FIELDS, FIELDS_TEXT, OPS, QUOTING, Field, FieldKind, Op, field_of
from inbox.domain.routing.matchers.hints import QUOTED_TEXT, hint
from inbox.domain.routing.matchers.tokens import ANY_EVENT, EXISTS, SIGNS, tokenize, unquote
from inbox.domain.routing.matchers.tree import CLAUSES_LIMIT, TOO_MANY_CLAUSES, BadMatch
from inbox.domain.values.name_suggestions import NameSuggestions
from inbox.domain.values.refusals import Fault

NESTING_LIMIT = 20
"""The limit of nested brackets and `not`, with redundant brackets."""

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_LONGEST_INTEGER = 20
_SPELLING = NameSuggestions(FIELDS)
_OP_OF = {sign.lower(): op for op, sign in SIGNS.items()} | {"==": Op.EQ}
_VALUE_OF = {word: value for value, word in EXISTS.items()}


class Parser:
    """The parser of one text, from left to right in one pass. Keywords are case-insensitive.

    Tokens are read on demand. The parser stops at the first fault, and at the limits of clauses and values.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokenize(text)
        self._next = next(self._tokens)
        self._after_next = next(self._tokens, self._next)
        self._nesting = 0
        self._clauses = 0
        self._positions: dict[int, dict[str, int]] = {}

    def tree(self) -> Any:
        """Parses the text to an unchecked tree. Raises `BadMatch`."""
        if self._text.lower().split() == ANY_EVENT.split():
            return {"all": []}
        node = self._either()
        if self._next.kind != "end":
            self._fail("`and`, `or` or the end")
        return node

    def position(self, tree: Any, fault: Fault) -> int:
        """Returns the index of the character to which a fault of the tree belongs."""
        node, steps = tree, fault.pointer.split("/")[1:]
        while steps and "field" not in node:
            word = steps.pop(0)
            node = node["not"] if word == "not" else node[word][int(steps.pop(0))]
        positions = self._positions.get(id(node), {})
        return positions.get("/".join(steps), positions.get("", 0))

    def _either(self) -> Any:
        return self._group_of("or", "any", self._both)

    def _both(self) -> Any:
        return self._group_of("and", "all", self._part)

    def _group_of(self, separator: str, word: str, part: Callable[[], Any]) -> Any:
        at = self._next.at
        nodes = [part()]
        while self._accept(separator):
            nodes.append(part())
        return nodes[0] if len(nodes) == 1 else self._with_position({word: nodes}, {"": at})

    def _part(self) -> Any:
        at = self._next.at
        self._nesting += 1
        if self._nesting > NESTING_LIMIT:
            self._fail(f"no more than {NESTING_LIMIT} brackets and `not` within each other")
        if self._accept("not"):
            node = self._with_position({"not": self._part()}, {"": at})
        elif self._accept("("):
            node = self._bracketed()
        else:
            word = next((word for word in ("all", "any") if self._accept(word)), None)
            node = self._with_position({word: [self._group(word)]}, {"": at}) if word else self._clause()
        self._nesting -= 1
        return node

    def _group(self, word: str) -> Any:
        if not self._accept("("):
            self._fail(f"`(` after `{word}`")
        return self._bracketed()

    def _bracketed(self) -> Any:
        node = self._either()
        if not self._accept(")"):
            self._fail("`and`, `or` or `)`")
        return node

    def _clause(self) -> Any:
        name = self._next
        field = field_of(name.text) if name.kind == "word" else None
        if field is None:
            if meant := _SPELLING.closest(name.text) if name.kind == "word" else None:
                self._refuse(name.at, f"unknown field `{name.text}`. Did you mean `{meant}`?")
            self._fail(f"`not`, `(` or a field: {FIELDS_TEXT}")
        self._clauses += 1
        if self._clauses > CLAUSES_LIMIT:
            self._refuse(name.at, TOO_MANY_CLAUSES)
        self._advance()
        sign = self._next
        op, value = self._comparison(field)
        places = {"": name.at, "field": name.at, "op": sign.at, "value": sign.at}
        if op is not Op.EXISTS:
            several = op in (Op.IN, Op.NOT_IN)
            places["value"] = self._next.at
            value = self._values(field, places) if several else self._value(field)
        return self._with_position({"field": field.name, "op": str(op), "value": value}, places)

    def _comparison(self, field: Field) -> tuple[Op, Any]:
        """Parses the operator, and the value if the keyword contains it."""
        text = self._next.text.lower()
        if text == "not" and self._after_next.text.lower() == "in":
            self._advance()
            text = "not in"
        op = Op.EXISTS if text in _VALUE_OF else _OP_OF.get(text)
        if op is None or op not in OPS[field.kind]:
            signs = [f"`{SIGNS[each]}`" for each in SIGNS if each in OPS[field.kind]]
            path = f", {QUOTING}" if field.kind is FieldKind.METADATA else ""
            self._fail(f"one of {', '.join(signs)}, `exists`, `missing` after {field.name}{path}")
        self._advance()
        return op, _VALUE_OF.get(text)

    def _values(self, field: Field, places: dict[str, int]) -> list[Any]:
        if not self._accept("("):
            self._fail("`(` and a list of values")
        values: list[Any] = []
        while True:
            if len(values) == VALUES_LIMIT:
                self._refuse(places["value"], TOO_MANY_VALUES)
            places[f"value/{len(values)}"] = self._next.at
            values.append(self._value(field))
            if self._accept(")"):
                return values
            if not self._accept(","):
                self._fail("`,` or `)`")

    def _value(self, field: Field) -> Any:
        kind, text, _ = self._next
        value: Any = None
        if kind == "text":
            value = self._unquoted(text)
        elif kind == "number" and _NUMBER.fullmatch(text):
            value = int(text) if text.lstrip("-").isdecimal() and len(text) <= _LONGEST_INTEGER else float(text)
        elif kind == "word" and text.lower() in ("true", "false"):
            value = text.lower() == "true"
        elif kind == "word" and field.kind in (FieldKind.SEVERITY, FieldKind.ACTION):
            value = text
        if value is None:
            self._fail(_VALUES.get(field.kind, QUOTED_TEXT))
        self._advance()
        return value

    def _unquoted(self, text: str) -> str:
        try:
            return unquote(text)
        except ValueError:
            self._fail("text whose `\\u{…}` are characters")

    def _advance(self) -> None:
        self._next, self._after_next = self._after_next, next(self._tokens, self._after_next)

    def _accept(self, text: str) -> bool:
        accepted = self._next.kind in ("word", "sign") and self._next.text.lower() == text
        if accepted:
            self._advance()
        return accepted

    def _with_position(self, node: dict[str, Any], places: dict[str, int]) -> dict[str, Any]:
        self._positions[id(node)] = places
        return node

    def _fail(self, what: str) -> NoReturn:
        found = f"at character {self._next.at + 1}: expected {what}, found {self._next.label}"
        raise BadMatch([Fault("", f"{found}{hint(self._text, self._next.at, what)}")])

    def _refuse(self, at: int, detail: str) -> NoReturn:
        raise BadMatch([Fault("", f"at character {at + 1}: {detail}")])


_VALUES = {
    FieldKind.SEVERITY: "a severity",
    FieldKind.ACTION: "`trigger` or `resolve`",
    FieldKind.METADATA: f"{QUOTED_TEXT}, a number, `true` or `false`",
}
