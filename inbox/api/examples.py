"""An example of every body, made of the examples that its fields carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BY_TYPE: Mapping[str, Any] = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "null": None}


def example(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Any:
    """A value that fits a JSON schema of the document; `schemas` are its components, to which `$ref` leads.

    What carries an example, a default or a choice gives it; numbers are within their bounds; of alternatives the first
    that is not null is taken.
    """
    for given in ("example", "default"):
        if schema.get(given) is not None:
            return schema[given]
    if "$ref" in schema:
        return example(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    for choice in ("oneOf", "anyOf", "allOf"):
        if choice in schema:
            return example(next(each for each in schema[choice] if each.get("type") != "null"), schemas)
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


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "object")
    return str(next(each for each in kind if each != "null") if isinstance(kind, list) else kind)
