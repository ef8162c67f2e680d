"""The tables of a query by their aliases, and which of them have the workspace of which others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pglast import ast

VALUE = (None, "a value")
"""Stands for every value that the caller gives."""

STAR = "*"


class Scope:
    """One query. `around` is the query in which it is a subquery, whose columns it may name."""

    def __init__(self, around: Scope | None) -> None:
        self.around = around
        self.expressions: dict[str, Scope] = {}
        self.aliases: dict[str, str] = {}
        self.tenants: dict[str, str] = {}
        self.verbs: dict[str, str] = {}
        self.compared: dict[str, set[str]] = {}
        self.exposed: list[str] | None = None
        self._equal: dict[Any, Any] = around._equal if around else {}

    def add_tenant(self, alias: str, table: str) -> None:
        """A table with a workspace, which must be bound."""
        self.aliases[alias] = table
        self.tenants[alias] = table

    def add_other(self, alias: str, table: str) -> None:
        """A table without a workspace. The id of `workspaces` is one."""
        self.aliases[alias] = table
        if table != "workspaces":
            self.unite((self, alias), VALUE)

    def add_values(self, alias: str) -> None:
        """Rows that the caller gives, or that a function makes of them."""
        self.aliases[alias] = "values"
        self.unite((self, alias), VALUE)

    def add_derived(self, alias: str, inner: Scope) -> None:
        """A subquery: it has the workspace of the tables whose workspace it returns."""
        self.aliases[alias] = "subquery"
        if inner.exposed is None:
            self.unite((self, alias), VALUE)
            return
        for each in inner.aliases if STAR in inner.exposed else inner.exposed:
            node = (inner, each) if each in inner.aliases else inner.only_with_workspace(inner.aliases)
            self.unite((self, alias), node)

    def expression(self, name: str) -> Scope | None:
        """The common table expression of this name, here or around."""
        return self.expressions.get(name) or (self.around.expression(name) if self.around else None)

    def workspace_of(self, expression: Any) -> Any:
        """The table whose workspace this expression is, if it is one."""
        if isinstance(expression, ast.TypeCast):
            return self.workspace_of(expression.arg)
        if not isinstance(expression, ast.ColumnRef):
            return None
        names = [getattr(each, "sval", STAR) for each in expression.fields]
        if len(names) > 1:
            return self._qualified(names[-2], names[-1])
        return self._unqualified() if names[0] == "workspace_id" else self._other_column(names[0])

    def _qualified(self, alias: str, column: str) -> Any:
        if alias not in self.aliases:
            return self.around._qualified(alias, column) if self.around else None
        wanted = {"workspaces": "id", "values": column}.get(self.aliases[alias], "workspace_id")
        return (self, alias) if column == wanted else None

    def _unqualified(self) -> Any:
        if found := self.only_with_workspace(self.aliases):
            return found
        return self.around._unqualified() if self.around else None

    def _other_column(self, column: str) -> Any:
        """The only source of this query, when its column can be a workspace under another name."""
        if len(self.aliases) != 1:
            return None
        alias, table = next(iter(self.aliases.items()))
        return (self, alias) if table == "values" or (table, column) == ("workspaces", "id") else None

    def only_with_workspace(self, aliases: Iterable[str]) -> Any:
        """The table among these that `workspace_id` without an alias belongs to: a table of a workspace, else a subquery."""
        for alias in aliases:
            if alias in self.tenants:
                return (self, alias)
        for alias in aliases:
            if self.aliases[alias] in ("subquery", "values"):
                return (self, alias)
        return None

    def has_columns(self, expression: Any) -> bool:
        """Whether the expression depends on a row."""
        if isinstance(expression, ast.ColumnRef):
            return True
        if isinstance(expression, tuple | list):
            return any(self.has_columns(each) for each in expression)
        return isinstance(expression, ast.Node) and any(
            self.has_columns(getattr(expression, each)) for each in expression
        )

    def note_comparison(self, expression: Any) -> None:
        """Notes that an equality names this column of a table with a workspace, here or around."""
        if isinstance(expression, ast.TypeCast):
            self.note_comparison(expression.arg)
        if not isinstance(expression, ast.ColumnRef):
            return
        names = [getattr(each, "sval", STAR) for each in expression.fields]
        alias = names[-2] if len(names) > 1 else self._only_alias()
        if alias in self.aliases:
            self.compared.setdefault(alias, set()).add(names[-1])
        elif self.around:
            self.around.note_comparison(expression)

    def _only_alias(self) -> str | None:
        return next(iter(self.aliases)) if len(self.aliases) == 1 else None

    def shape(self, alias: str) -> str:
        """How the statement uses a table: what it does to it, and the columns that equalities name."""
        columns = ", ".join(sorted(self.compared.get(alias, ()))) or "nothing"
        return f"{self.verbs.get(alias, 'read')} {self.tenants[alias]} by {columns}"

    def unite(self, one: Any, other: Any) -> None:
        """Both have the same workspace."""
        if one is not None and other is not None and self._root(one) != self._root(other):
            self._equal[self._root(one)] = self._root(other)

    def is_bound(self, alias: str) -> bool:
        """Whether the workspace of this table is a value that the caller gave."""
        return self._root((self, alias)) == self._root(VALUE)

    def _root(self, node: Any) -> Any:
        while node in self._equal:
            node = self._equal[node]
        return node


def exposed_scopes(query: Any) -> list[str]:
    """The aliases whose workspace a query returns: `*` for all of them."""
    returned = query.targetList if isinstance(query, ast.SelectStmt) else _returning(query)
    found = []
    for target in returned or ():
        names = [getattr(each, "sval", STAR) for each in getattr(target.val, "fields", ())]
        if names and names[-1] in (STAR, "workspace_id"):
            found.append(names[-2] if len(names) > 1 else STAR)
    return found


def _returning(query: Any) -> Any:
    return query.returningClause.exprs if query.returningClause else ()
