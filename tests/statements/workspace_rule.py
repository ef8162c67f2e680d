"""Judges a statement: every table of a workspace is bound to a value of `workspace_id` (decision 0045).

A table is bound by an equality that every row must meet: with a value, with a list of values, or with the workspace of
another bound table. A subquery, or a common table expression, is bound like the tables whose `workspace_id` it returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from pglast import ast, parse_sql
from pglast.enums import A_Expr_Kind, BoolExprType, SetOperation, SubLinkType

from tests.statements.scopes import VALUE, Scope, exposed_scopes

VOLATILE = frozenset({"random", "clock_timestamp", "timeofday", "gen_random_uuid"})
"""Functions that a changing statement may not call: each node would find another value."""

CHANGING = (ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt)
QUERIES = (ast.SelectStmt, *CHANGING)

EQUALITIES = (A_Expr_Kind.AEXPR_OP, A_Expr_Kind.AEXPR_OP_ANY, A_Expr_Kind.AEXPR_IN, A_Expr_Kind.AEXPR_NOT_DISTINCT)


def problems(sql: str, tenant_tables: AbstractSet[str]) -> list[str]:
    """Returns what keeps this SQL from one workspace, in sentences, or nothing. Raises `pglast.Error` for other than SQL."""
    judge = _Judge(tenant_tables)
    for raw in parse_sql(sql):
        judge.visit(raw.stmt, None)
    return sorted({*judge.found, *judge.unbound()})


class _Judge:
    def __init__(self, tenant_tables: AbstractSet[str]) -> None:
        self._tenant_tables = tenant_tables
        self._scopes: list[Scope] = []
        self.found: list[str] = []

    def unbound(self) -> Iterator[str]:
        for scope in self._scopes:
            yield from (scope.shape(alias) for alias in scope.tenants if not scope.is_bound(alias))

    def visit(self, node: Any, scope: Scope | None) -> None:
        """Judges all queries in this node. `scope` is the query around it."""
        if isinstance(node, ast.PrepareStmt):
            self.visit(node.query, scope)
        elif isinstance(node, ast.CopyStmt):
            self._copied(node)
        elif isinstance(node, QUERIES):
            self._query(node, scope)
        elif isinstance(node, tuple | list):
            for each in node:
                self.visit(each, scope)
        elif isinstance(node, ast.Node):
            for attribute in node:
                self.visit(getattr(node, attribute), scope)

    def _query(self, query: Any, around: Scope | None) -> Scope:
        scope = Scope(around)
        self._scopes.append(scope)
        for expression in query.withClause.ctes if query.withClause else ():
            scope.expressions[expression.ctename] = self._query(expression.ctequery, scope)
        if isinstance(query, ast.SelectStmt) and query.op != SetOperation.SETOP_NONE:
            for side in (query.larg, query.rarg):
                self._query(side, scope)
            return scope
        if isinstance(query, ast.SelectStmt) and query.valuesLists:
            self.visit(query.valuesLists, around)
            return scope
        self._relations(query, scope)
        self._conditions(query.whereClause if not isinstance(query, ast.InsertStmt) else None, scope)
        self._rest(query, scope)
        self._locked(query, scope)
        scope.exposed = exposed_scopes(query)
        if isinstance(query, CHANGING):
            self._changing(query, scope)
        return scope

    def _relations(self, query: Any, scope: Scope) -> None:
        if isinstance(query, ast.InsertStmt):
            self._inserted(query)
        elif isinstance(query, ast.UpdateStmt | ast.DeleteStmt):
            self._relation(query.relation, scope)
            scope.verbs[next(iter(scope.aliases))] = "update" if isinstance(query, ast.UpdateStmt) else "delete"
        for source in (getattr(query, "fromClause", None) or ()) + (getattr(query, "usingClause", None) or ()):
            self._relation(source, scope)

    def _relation(self, source: Any, scope: Scope) -> None:
        if isinstance(source, ast.RangeVar):
            alias = source.alias.aliasname if source.alias else source.relname
            expression = scope.expression(source.relname)
            if expression is not None:
                scope.add_derived(alias, expression)
            elif source.relname in self._tenant_tables:
                scope.add_tenant(alias, source.relname)
            else:
                scope.add_other(alias, source.relname)
        elif isinstance(source, ast.RangeSubselect):
            scope.add_derived(source.alias.aliasname if source.alias else "", self._query(source.subquery, scope))
        elif isinstance(source, ast.JoinExpr):
            self._join(source, scope)
        else:
            alias = getattr(source, "alias", None)
            scope.add_values(alias.aliasname if alias else "")
            self.visit(source, scope)

    def _join(self, join: Any, scope: Scope) -> None:
        self._relation(join.larg, scope)
        left = list(scope.aliases)
        self._relation(join.rarg, scope)
        right = [alias for alias in scope.aliases if alias not in left]
        if any(each.sval == "workspace_id" for each in join.usingClause or ()):
            for alias in right:
                scope.unite((scope, alias), scope.only_with_workspace(left))
        self._conditions(join.quals, scope)

    def _rest(self, query: Any, scope: Scope) -> None:
        """All parts but the relations, common table expressions and conditions, which have been judged."""
        judged = {"withClause", "fromClause", "usingClause", "whereClause", "relation"}
        for attribute in query:
            if attribute not in judged:
                self.visit(getattr(query, attribute), scope)

    def _conditions(self, condition: Any, scope: Scope) -> None:
        """Takes the equalities of a condition whose parts are joined by AND, and judges the subqueries in it."""
        if isinstance(condition, ast.BoolExpr) and condition.boolop == BoolExprType.AND_EXPR:
            for each in condition.args:
                self._conditions(each, scope)
        elif isinstance(condition, ast.A_Expr) and condition.kind in EQUALITIES and condition.name[0].sval == "=":
            self._equality(condition.lexpr, condition.rexpr, scope)
        elif isinstance(condition, ast.SubLink) and condition.subLinkType == SubLinkType.ANY_SUBLINK:
            self._in_subquery(condition, scope)
        else:
            self.visit(condition, scope)

    def _equality(self, left: Any, right: Any, scope: Scope) -> None:
        if isinstance(left, ast.RowExpr) and isinstance(right, ast.RowExpr):
            for one, other in zip(left.args, right.args, strict=True):
                self._equality(one, other, scope)
            return
        scope.note_comparison(left)
        scope.note_comparison(right)
        lefts = [left] if not isinstance(left, ast.RowExpr) else list(left.args)
        for one, other in ((each, right) for each in lefts):
            here, there = scope.workspace_of(one), scope.workspace_of(other)
            if here and there:
                scope.unite(here, there)
            elif here and not scope.has_columns(other):
                scope.unite(here, VALUE)
            elif there and not scope.has_columns(one):
                scope.unite(there, VALUE)
        self.visit((left, right), scope)

    def _in_subquery(self, link: Any, scope: Scope) -> None:
        inner = self._query(link.subselect, scope)
        tested = link.testexpr.args if isinstance(link.testexpr, ast.RowExpr) else (link.testexpr,)
        returned = [target.val for target in link.subselect.targetList or ()] or [None] * len(tested)
        for one, other in zip(tested, returned, strict=False):
            scope.note_comparison(one)
            here, there = scope.workspace_of(one), inner.workspace_of(other)
            if here:
                scope.unite(here, there if inner.has_columns(other) else VALUE)
        self.visit(link.testexpr, scope)

    def _locked(self, query: Any, scope: Scope) -> None:
        for clause in getattr(query, "lockingClause", None) or ():
            named = [each.relname for each in clause.lockedRels or ()] or list(scope.aliases)
            scope.verbs.update(dict.fromkeys(named, "lock"))

    def _inserted(self, query: Any) -> None:
        columns = {each.name for each in query.cols or ()}
        if query.relation.relname in self._tenant_tables and "workspace_id" not in columns:
            self.found.append(f"insert into {query.relation.relname} without workspace_id")

    def _copied(self, query: Any) -> None:
        columns = {each.sval for each in query.attlist or ()}
        if query.relation and query.relation.relname in self._tenant_tables and "workspace_id" not in columns:
            self.found.append(f"insert into {query.relation.relname} without workspace_id")

    def _changing(self, query: Any, scope: Scope) -> None:
        for node in _nodes(query):
            if isinstance(node, ast.FuncCall) and node.funcname[-1].sval in VOLATILE:
                self.found.append(f"a changing statement calls {node.funcname[-1].sval}()")
            if isinstance(node, ast.ColumnRef) and getattr(node.fields[-1], "sval", "") == "ctid":
                self.found.append("a changing statement reads ctid")


def _nodes(node: Any) -> Iterator[Any]:
    if isinstance(node, tuple | list):
        for each in node:
            yield from _nodes(each)
    elif isinstance(node, ast.Node):
        yield node
        for attribute in node:
            yield from _nodes(getattr(node, attribute))
