"""Sandboxed templates for the title and the body of a destination's messages (specification 9.17).

A template prints and compares plain texts. It has no loops, calls, attributes, arithmetic or macros, and each of its
filters cuts its result. So its length limits its time and its output. The sandbox of Jinja is a second barrier. A path
into the metadata, such as `labels.instance`, becomes a variable of its own before the template is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, TemplateError, nodes
from jinja2.exceptions import TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from inbox.destinations.template_variables import FIELDS, PATHS, Path, of_path
from inbox.domain.explaining.notice_content import LONGEST_SENTENCE, LONGEST_TITLE, NoticeContent

LONGEST_TEMPLATE = 2_000
LONGEST_VALUE = 4_000
"""The maximum length of a variable, a filter result and a rendered template, in characters. Longer ones are cut."""

DEEPEST = 20
"""The maximum nesting of a template. Jinja and Python refuse deeper ones with errors of their own."""

VARIABLES = tuple(FIELDS)
"""The variables of a template. Each is a text, and empty where the notice has no value."""

_ALLOWED = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.If, nodes.CondExpr),
    *(nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Concat, nodes.Filter),
)


class TemplateFault(ValueError):
    """A template cannot be used. The text says why, and names the line if it is known."""


@dataclass(frozen=True, slots=True)
class TextTemplate:
    """The templates of a destination. An empty one means the standard text."""

    title: str = ""
    body: str = ""

    @classmethod
    def of(cls, stored: Mapping[str, Any] | None) -> TextTemplate | None:
        """Returns the stored templates; None when the destination has the standard text."""
        return None if stored is None else cls(stored.get("title", ""), stored.get("body", ""))

    def apply(self, content: NoticeContent) -> NoticeContent:
        """Returns the content with the rendered title and body. Raises `TemplateFault`."""
        if content.lines:  # templates do not apply to a digest
            return content
        title, body = (render(text, content) for text in (self.title, self.body))
        return replace(
            content,
            title=_cut(" ".join(title.split()), LONGEST_TITLE) or content.title,
            sentence=_cut(body.strip(), LONGEST_SENTENCE) or content.sentence,
            excerpt="" if body.strip() else content.excerpt,
        )


@dataclass(frozen=True, slots=True)
class Dialect:
    """What templates of one use have: maximum lengths, further variables, and an escape for each printed text."""

    longest: int = LONGEST_TEMPLATE
    longest_value: int = LONGEST_VALUE
    more: tuple[str, ...] = ()
    escape: Callable[[str], str] | None = None


MESSAGE_TEXT = Dialect()


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A template, the variables that it uses, and the paths by the names that replaced them."""

    template: Template
    names: frozenset[str]
    paths: Mapping[str, Path]

    def render(self, content: NoticeContent, longest: int, more: Mapping[str, str]) -> str:
        values = {name: FIELDS[name](content) for name in self.names - more.keys()}
        values |= {name: of_path(content, path) for name, path in self.paths.items()}
        return self.template.render({**{name: value[:longest] for name, value in values.items()}, **more})


def render(text: str, content: NoticeContent) -> str:
    """Renders a template of a message for a notice. Raises `TemplateFault`."""
    return _cut(render_whole(text, content, MESSAGE_TEXT, {}), LONGEST_VALUE)


def render_whole(text: str, content: NoticeContent, dialect: Dialect, more: Mapping[str, str]) -> str:
    """Renders a template without cutting the result. `more` has the further variables. Raises `TemplateFault`."""
    compiled = _compiled(text, dialect)
    try:
        return compiled.render(content, dialect.longest_value, more)
    except (TemplateError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as fault:
        raise TemplateFault(f"it cannot be rendered: {fault}") from None


def check(text: str) -> None:
    """Raises `TemplateFault` for a template of a message that cannot be used."""
    _compiled(text, MESSAGE_TEXT)


def parse(text: str, dialect: Dialect) -> nodes.Template:
    """Returns the parts of a template. Raises `TemplateFault` for one that cannot be used."""
    _compiled(text, dialect)
    return _ENVIRONMENT.parse(text)


@lru_cache(maxsize=256)
def _compiled(text: str, dialect: Dialect) -> _Compiled:
    if len(text) > dialect.longest:
        raise TemplateFault(f"it must have at most {dialect.longest:,} characters")
    try:
        tree = _ENVIRONMENT.parse(text)
        _check_node(tree, (*VARIABLES, *dialect.more), depth=0)
        paths: dict[str, Path] = {}
        _with_variables(tree, paths)
        names = frozenset(each.name for each in tree.find_all(nodes.Name)) - paths.keys()
        return _Compiled(_escaping(dialect.escape).from_string(tree), names, paths)
    except TemplateSyntaxError as fault:
        raise TemplateFault(f"line {fault.lineno}: {fault.message}") from None
    except (RecursionError, SyntaxError, MemoryError):
        raise TemplateFault("it is nested too deeply") from None
    except TemplateError as fault:
        raise TemplateFault(str(fault)) from None


def _with_variables(node: nodes.Node, found: dict[str, Path]) -> nodes.Node:
    """Replaces each path in a checked tree by a variable. `found` gets the paths by the names of these variables."""
    path = _path_of(node)
    if path is not None:
        name = f"path_{len(found)}"
        found[name] = path
        return nodes.Name(name, "load", lineno=node.lineno)
    for field, value in node.iter_fields():
        if isinstance(value, nodes.Node):
            setattr(node, field, _with_variables(value, found))
        elif isinstance(value, list):
            setattr(
                node, field, [_with_variables(each, found) if isinstance(each, nodes.Node) else each for each in value]
            )
    return node


def _path_of(node: nodes.Node) -> Path | None:
    """Returns the path of `metadata.annotations.summary` or `labels["app/name"]`; None for other expressions."""
    steps: list[str | int] = []
    while isinstance(node, nodes.Getattr | nodes.Getitem) and len(steps) < DEEPEST:
        step = node.attr if isinstance(node, nodes.Getattr) else getattr(node.arg, "value", None)
        if not isinstance(step, str | int) or isinstance(step, bool):
            return None
        steps.append(step)
        node = node.node
    is_path = bool(steps) and isinstance(node, nodes.Name) and node.name in PATHS
    return (node.name, *reversed(steps)) if is_path else None  # type: ignore[attr-defined]


def _check_node(node: nodes.Node, variables: Sequence[str], *, depth: int) -> None:
    """Raises `TemplateFault` for a node that is not allowed."""
    where = f"line {node.lineno}: "
    if depth > DEEPEST:
        raise TemplateFault(f"{where}it is nested too deeply")
    if _path_of(node) is not None:
        return
    if not isinstance(node, _ALLOWED):
        raise TemplateFault(f"{where}{_WORDS.get(type(node), type(node).__name__.lower())} cannot be used")
    if isinstance(node, nodes.Name) and node.name not in variables:
        raise TemplateFault(f"{where}there is no variable {node.name!r}; there are {', '.join(variables)}")
    if isinstance(node, nodes.Filter):
        _check_filter(node, where)
    if isinstance(node, nodes.Const) and not isinstance(node.value, str | bool | int | None):
        raise TemplateFault(f"{where}only texts and whole numbers can be used")
    for child in node.iter_child_nodes():
        _check_node(child, variables, depth=depth + 1)


def _check_filter(node: nodes.Filter, where: str) -> None:
    if node.name not in FILTERS:
        raise TemplateFault(f"{where}there is no filter {node.name!r}; there are {', '.join(FILTERS)}")
    if node.kwargs or node.dyn_args is not None or node.dyn_kwargs is not None:
        raise TemplateFault(f"{where}give the values of a filter in their order")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _default(value: object, other: object = "") -> str:
    return str(value) or str(other)


def _replace(value: object, old: object, new: object) -> str:
    """Works like `str.replace`, and cuts before and after, so that nested replacements cannot grow without limit."""
    text, sought = str(value), str(old)
    return text.replace(sought, str(new)[:100]) if sought else text


def _truncate(value: object, longest: object = 80) -> str:
    if not isinstance(longest, int) or longest < 1:
        raise ValueError("truncate needs a length of at least 1")
    return _cut(str(value), longest)


def _bounded(of: Callable[..., str]) -> Callable[..., str]:
    def bounded(value: object, *values: object) -> str:
        return _cut(of(_cut(str(value), LONGEST_VALUE), *values), LONGEST_VALUE)

    return bounded


_UNBOUNDED: Mapping[str, Callable[..., str]] = {
    "upper": lambda value: str(value).upper(),
    "lower": lambda value: str(value).lower(),
    "capitalize": lambda value: str(value).capitalize(),
    "trim": lambda value: str(value).strip(),
    "default": _default,
    "replace": _replace,
    "truncate": _truncate,
}
FILTERS: Mapping[str, Callable[..., str]] = MappingProxyType({name: _bounded(of) for name, of in _UNBOUNDED.items()})
"""The filters of a template."""

_WORDS: Mapping[type[nodes.Node], str] = {
    nodes.For: "a loop",
    nodes.Call: "a call",
    nodes.Getattr: "an attribute",
    nodes.Getitem: "an index",
    nodes.Macro: "a macro",
    nodes.Assign: "an assignment",
    nodes.AssignBlock: "an assignment",
    nodes.Include: "another template",
    nodes.Import: "another template",
    nodes.FromImport: "another template",
    nodes.Extends: "another template",
    nodes.Test: "a test",
}
"""The names of refused nodes in messages."""


def _environment() -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False)
    made.globals.clear()
    made.filters = dict(FILTERS)
    made.tests.clear()
    return made


_ENVIRONMENT = _environment()


@cache
def _escaping(escape: Callable[[str], str] | None) -> Environment:
    """Returns the environment whose templates escape each text that they print. The template's own text stays."""
    if escape is None:
        return _ENVIRONMENT
    return _ENVIRONMENT.overlay(finalize=lambda value: escape(value) if isinstance(value, str) else value)
