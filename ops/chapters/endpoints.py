"""Prints chapter 16 of the specification from the declarations of endpoints."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from flask import Flask
from werkzeug.routing import Rule

from inbox.api import blueprints
from inbox.api.http.body_limits import cap_of
from inbox.api.http.policy import POLICY, Credential, EndpointPolicy, StepUp
from inbox.api.openapi import document
from inbox.api.openapi.operations import blueprint_of, each_operation, path_of
from inbox.config.settings import Settings
from ops.dashboard import ROOT

PAGE = ROOT / "docs" / "specification" / "16-endpoints.md"

INTRODUCTION = """\
## 16 Endpoints

Printed from the declarations in `inbox/api/` by `python -m ops.chapters --write`; do not edit.

Every operation is below, ordered by path. `session or device` means the session cookie or the bearer token of a paired device. The role
is the least role in the workspace. `Body` is the most bytes that a body may have; of `any` number the beginning is read. Where it names
forms, the body may be a form in place of JSON. The first sort is the default. `Section` describes the operation.

### 16.1 Operations

| Operation | Credential | Role | Step-up | Body | Sorts | Section |
|---|---|---|---|---|---|---|
"""

OF_BROWSERS = """
### 16.2 Pages and files for browsers

| Operation | Credential |
|---|---|
"""

CREDENTIALS = {
    Credential.NONE: "none",
    Credential.SESSION: "session",
    Credential.DEVICE: "device",
    Credential.USER: "session or device",
    Credential.SOURCE_KEY: "source key",
    Credential.ALIAS_TOKEN: "alias token",
    Credential.HEARTBEAT_TOKEN: "heartbeat token",
    Credential.PING_KEY: "ping key",
    Credential.SIGNATURE: "signature",
    Credential.METRICS_TOKEN: "metrics token",
}
STEP_UPS = {None: "", StepUp.RECENT: "recent step-up", StepUp.REAUTH: "re-authentication"}
KIB, MIB = 1024, 1024 * 1024


def text() -> str:
    """Returns the whole chapter."""
    app = _app()
    described = list(each_operation(orjson.loads(document.generated(app)), app))
    of_operations = {_name(rule, method): _row(app, rule, method, operation) for rule, method, operation in described}
    of_browsers = {
        _name(rule, "get"): f"| `{_name(rule, 'get')}` | {_credential(POLICY[rule.endpoint])} |"
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith(f"{blueprints.PAGES.name}.")
    }
    return INTRODUCTION + _lines(of_operations) + OF_BROWSERS + _lines(of_browsers)


def _app() -> Flask:
    """Returns an app with the endpoints alone, which needs neither a database nor secrets."""
    app = Flask("inbox", static_folder=None)
    placeholder = base64.b64encode(bytes(32)).decode()
    settings = Settings.from_env(
        {
            "DATABASE_URL": "postgresql://127.0.0.1/inbox",
            "REDIS_URL": "redis://127.0.0.1/0",
            "INBOX_SECRET_KEYS": f"k1:{placeholder}",
            "INBOX_SIGNING_KEY": placeholder,
        }
    )
    blueprints.install(app, settings)
    return app


def _lines(rows: Mapping[str, str]) -> str:
    by_path = sorted(rows, key=lambda name: name.partition(" ")[::-1])
    return "".join(f"{rows[name]}\n" for name in by_path)


def _name(rule: Rule, method: str) -> str:
    return f"{method.upper()} {path_of(rule)}"


def _row(app: Flask, rule: Rule, method: str, operation: Mapping[str, Any]) -> str:
    entry = POLICY[rule.endpoint]
    cells = [
        f"`{_name(rule, method)}`",
        _credential(entry),
        "instance administrator" if entry.instance_admin else str(entry.role or ""),
        STEP_UPS[entry.step_up],
        _body(entry) if method in ("post", "put", "patch") else "",
        " ".join(f"`{each}`" for each in _sorts(operation)),
        entry.section or blueprint_of(app, rule.endpoint).section,
    ]
    return f"| {' | '.join(cells)} |"


def _credential(entry: EndpointPolicy) -> str:
    needed = CREDENTIALS[entry.credential]
    optional = entry.optional_credential
    return needed if optional is None else f"{needed}, or {CREDENTIALS[optional]}"


def _body(entry: EndpointPolicy) -> str:
    if entry.own_body and entry.body_cap is None:
        return "any"
    cap = cap_of(entry)
    size = f"{cap // MIB} MiB" if cap % MIB == 0 else f"{cap // KIB} KiB"
    return f"{size}, forms" if entry.forms else size


def _sorts(operation: Mapping[str, Any]) -> Iterator[str]:
    for parameter in operation.get("parameters", []):
        if parameter.get("name") == "sort":
            yield from parameter["schema"]["enum"]
