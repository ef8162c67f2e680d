"""Builds an example of every body from the examples of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BY_TYPE: Mapping[str, Any] = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "null": None}


def example(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Any:
    """Returns a value that fits a JSON schema of the document. `schemas` are its components, which `$ref` names.

    It uses the example, default or choice of a schema if there is one. Numbers are within their bounds. Of alternatives
    it uses the first that is not null.
    """
    given = next((schema[name] for name in ("example", "default") if schema.get(name) is not None), None)
    if given is not None:
        return given
    alternative = _alternative(schema, schemas)
    if alternative is not None:
        return example(alternative, schemas)
    if "enum" in schema:
        return schema["enum"][0]
    match _kind(schema):
        case "object":
            return {name: example(inner, schemas) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [example(schema["items"], schemas)] if schema.get("items") else []
        case "integer" | "number" as kind:
            return schema.get("minimum", BY_TYPE[kind])
        case kind:
            return BY_TYPE[kind]


def _alternative(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the component of the schema's `$ref`, or its first alternative that is not null."""
    if "$ref" in schema:
        component: Mapping[str, Any] = schemas[schema["$ref"].rpartition("/")[2]]
        return component
    choices = next((schema[name] for name in ("oneOf", "anyOf", "allOf") if name in schema), ())
    return next((each for each in choices if each.get("type") != "null"), None)


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "object")
    return str(next(each for each in kind if each != "null") if isinstance(kind, list) else kind)
