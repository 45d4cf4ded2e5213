"""The names of the student's code, as tests see them."""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Iterator

from IPython.core.inputtransformer2 import TransformerManager

_transform = TransformerManager().transform_cell


@functools.lru_cache(1024)
def parse(source: str) -> ast.Module | None:
    """The syntax tree of a cell, magics included; None if it is no Python."""
    for as_python in (str, _transform):  # most cells have no magics
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):
            return ast.parse(as_python(source))
    return None


@functools.lru_cache(1024)
def bound_names(source: str) -> tuple[str, ...]:
    """Names that a cell binds at its top level, in its order; those of import statements are not among them."""
    tree = parse(source)
    return tuple(dict.fromkeys(_bound(tree.body))) if tree else ()


@functools.lru_cache(1024)
def imports(source: str) -> str:
    """The import statements at the top level of a cell."""
    tree = parse(source)
    body = tree.body if tree else []
    return "\n".join(ast.unparse(node) for node in body if isinstance(node, ast.Import | ast.ImportFrom))


@functools.lru_cache(1024)
def used_names(source: str) -> frozenset[str]:
    """Names that a cell mentions anywhere."""
    tree = parse(source)
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)) if tree else frozenset()


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from _targets(targets)
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                yield from _targets([target])
            case ast.For(target=target, body=inner, orelse=orelse):
                yield from _targets([target])
                yield from _bound([*inner, *orelse])
            case ast.If(body=inner, orelse=orelse) | ast.While(body=inner, orelse=orelse):
                yield from _bound([*inner, *orelse])
            case ast.With(items=items, body=inner):
                yield from _targets([item.optional_vars for item in items if item.optional_vars])
                yield from _bound(inner)
            case ast.Try(body=inner, orelse=orelse, finalbody=final, handlers=handlers):
                yield from _bound([*inner, *orelse, *final, *(line for one in handlers for line in one.body)])


def _targets(targets: list[ast.expr]) -> Iterator[str]:
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
