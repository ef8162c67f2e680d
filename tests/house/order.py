"""The order of functions within a module or a class: a private function comes below its first caller."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef


def private_above_callers(tree: ast.Module) -> Iterator[str]:
    """The private functions and methods that come before everything that names them.

    A function that is called while the module is loaded, for a decorator or a table, must come before.
    """
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for body in [tree.body, *(each.body for each in classes)]:
        needed = _needed_at_load(body)
        for place, node in enumerate(body):
            if isinstance(node, Function) and node.name.startswith("_") and node.name not in needed | _special(node):
                callers = [other for other, each in enumerate(body) if each is not node and node.name in _names(each)]
                if callers and min(callers) > place:
                    yield node.name


def _special(node: Function) -> set[str]:
    """Names that the language gives."""
    return {node.name} if node.name.startswith("__") else set()


def _needed_at_load(body: Sequence[ast.stmt]) -> set[str]:
    """The names that are evaluated when the statements run, and those that the functions among them name."""
    needed = {name for statement in body for name in _names_at_load(statement)}
    functions = {node.name: _names(node) for node in body if isinstance(node, Function)}
    while further := {name for each in needed & functions.keys() for name in functions[each]} - needed:
        needed |= further
    return needed


def _names_at_load(statement: ast.stmt) -> set[str]:
    parts: list[ast.AST | None]
    if isinstance(statement, Function):
        parts = [*statement.decorator_list, *statement.args.defaults, *statement.args.kw_defaults]
    elif isinstance(statement, ast.ClassDef):
        parts = [*statement.decorator_list, *statement.bases, *(part.value for part in statement.keywords)]
        return _names(*parts).union(*(_names_at_load(each) for each in statement.body))
    else:
        parts = [statement]
    return _names(*parts)


def _names(*parts: ast.AST | None) -> set[str]:
    """The names in these parts, also those of attributes: a method is named by `self.name`, not by `super().name`."""
    nodes = [node for part in parts if part for node in ast.walk(part)]
    return {node.id for node in nodes if isinstance(node, ast.Name)} | {
        node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Call)
    }
