"""Templates of bodies and parameters: each value is escaped for the type of the body, so that no text leaves its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from urllib.parse import quote_plus

from jinja2 import nodes

from inbox.destinations import templates
from inbox.destinations.layout import escape_html
from inbox.destinations.templates import LONGEST_VALUE, Dialect, TemplateFault
from inbox.domain.deliveries import notices
from inbox.domain.explaining import notice_content
from inbox.domain.explaining.notice_content import NoticeContent

KEY = "key"
"""The variable with the key of the destination."""

LONGEST_TEMPLATE = 8_000
LONGEST_RESULT = 64 * 1024
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_TEST = notices.payload_of_test("Shop", "https://inbox.example.org", datetime(2026, 1, 1, tzinfo=UTC))
_SAMPLE = replace(notice_content.of_body(notices.body_bytes(_TEST)), title='A "quoted" \\ <text> & more')


class Form(StrEnum):
    """The type of a body. It decides how values are escaped."""

    JSON = "application/json"
    FORM = "application/x-www-form-urlencoded"
    TEXT = "text/plain"
    XML = "application/xml"

    @property
    def header(self) -> str:
        """Returns the value of Content-Type."""
        return self.value if self is Form.JSON or self is Form.FORM else f"{self.value}; charset=utf-8"

    def dialect(self, longest_value: int = LONGEST_VALUE) -> Dialect:
        """Returns the rules of its templates, which escape each value."""
        return Dialect(LONGEST_TEMPLATE, longest_value, (KEY,), _ESCAPES.get(self))


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _in_form(text: str) -> str:
    return quote_plus(text, errors="replace")


def _in_xml(text: str) -> str:
    return escape_html(_NO_XML.sub("", text)).replace("'", "&#39;")


_ESCAPES: Mapping[Form, Callable[[str], str]] = {Form.JSON: _in_json, Form.FORM: _in_form, Form.XML: _in_xml}


class _Place(StrEnum):
    """Where the text of a JSON template is."""

    OUTSIDE = "outside"
    QUOTED = "quoted"
    ESCAPED = "escaped"
    """Behind a backslash in a quoted text."""


def render(text: str, content: NoticeContent, form: Form, key: str, longest_value: int = LONGEST_VALUE) -> str:
    """Renders a template, whose values are cut. Raises `TemplateFault`, also for a result that is too long."""
    found = templates.render_whole(text, content, form.dialect(longest_value), {KEY: key})
    if len(found) > LONGEST_RESULT:
        raise TemplateFault(f"its result has more than {LONGEST_RESULT:,} characters")
    return found


def fault(text: str, form: Form) -> str | None:
    """Returns why a template cannot be used; None when it can."""
    try:
        if form is Form.JSON and text:
            _check_json(templates.parse(text, form.dialect()))
            json.loads(render(text, _SAMPLE, form, "key"))
        else:
            render(text, _SAMPLE, form, "key")
    except TemplateFault as found:
        return f"cannot be used: {found}"
    except ValueError as found:
        return f"is no JSON with the values of a test: {found}"
    return None


def names_key(text: str) -> bool:
    """Returns whether the template has the variable of the key."""
    try:
        return any(node.name == KEY for node in templates.parse(text, Form.TEXT.dialect()).find_all(nodes.Name))
    except TemplateFault:
        return False


def _check_json(tree: nodes.Template) -> None:
    """Raises `TemplateFault` where a value would not be inside a quoted text, in any branch of the template.

    Values are escaped for quoted texts. Anywhere else, a sender's text could add members.
    """
    if _after(tree.body, _Place.OUTSIDE) is not _Place.OUTSIDE:
        raise TemplateFault("a quoted text has no end")


def _after(parts: Iterable[nodes.Node], place: _Place) -> _Place:
    """Returns the place after these parts."""
    for part in parts:
        if isinstance(part, nodes.Output):
            place = _after(part.nodes, place)
        elif isinstance(part, nodes.TemplateData):
            place = _after_text(part.data, place)
        elif isinstance(part, nodes.If):
            place = _after_branches(part, place)
        elif place is _Place.ESCAPED or (place is _Place.OUTSIDE and not _is_constant(part)):
            raise TemplateFault(f"line {part.lineno}: put the variable between double quotes")
    return place


def _after_text(text: str, place: _Place) -> _Place:
    for sign in text:
        match place:
            case _Place.ESCAPED:
                place = _Place.QUOTED
            case _Place.OUTSIDE:
                place = _Place.QUOTED if sign == '"' else place
            case _Place.QUOTED:
                place = {"\\": _Place.ESCAPED, '"': _Place.OUTSIDE}.get(sign, place)
    return place


def _after_branches(part: nodes.If, place: _Place) -> _Place:
    branches = [part.body, *(each.body for each in part.elif_), part.else_]
    ends = {_after(branch, place) for branch in branches}
    if len(ends) > 1:
        raise TemplateFault(f"line {part.lineno}: all branches must end inside, or all outside of a quoted text")
    return ends.pop()


def _is_constant(node: nodes.Node) -> bool:
    """Returns whether the person who wrote the template wrote each possible value."""
    if isinstance(node, nodes.CondExpr):
        return _is_constant(node.expr1) and node.expr2 is not None and _is_constant(node.expr2)
    return isinstance(node, nodes.Const) and isinstance(node.value, str | int)
