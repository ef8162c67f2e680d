"""Renders the few plain pages of the API. They have no scripts, and one style that is allowed by its hash."""

from __future__ import annotations

import base64
import hashlib
import re

import orjson
from flask import Response, request
from markupsafe import Markup

from inbox.api.http.base_path import below

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#1c2430;"
    "background:#fff}a{color:#0b5cad}code{background:#eef1f5;padding:.1em .3em;border-radius:3px}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.8rem;background:#eef1f5;border-radius:6px}pre code{padding:0}h2{margin-top:2rem}"
    "p,li,td{overflow-wrap:anywhere}table{border-collapse:collapse;font-size:.9em}"
    "th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid #8893a5}"
    "@media(max-width:560px){thead{display:none}tr{display:block;padding:.6rem 0;border-bottom:1px solid #8893a5}"
    "td{display:block;padding:0;border:0}}"
    "dt{font-weight:600}dd{margin:0 0 1rem;overflow-wrap:anywhere}"
    "button{padding:.7rem 1.5rem;font:inherit;font-weight:600;color:#fff;background:#0b5cad;border:0;border-radius:8px}"
    "@media(prefers-color-scheme:dark){body{color:#e6e9ee;background:#14181f}a{color:#7ab8ff}button{color:#0b1524;background:#7ab8ff}code,pre{background:#252c37}}"
)
POLICY = (
    "default-src 'none'; style-src 'sha256-"
    + base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    + "'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


def page(title: str, body: Markup, *, has_form: bool = False) -> Response:
    """Returns a whole page. `body` is HTML, `title` plain text. Forms may post to this service only."""
    text = Markup(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><style>{}</style></head>'
        "<body><main><h1>{}</h1>{}</main></body></html>"
    ).format(title, Markup(STYLE), title, body)
    policy = POLICY.replace("form-action 'none'", "form-action 'self'") if has_form else POLICY
    headers = {"Content-Security-Policy": policy}
    if has_form:
        # Without a referrer a form sends the origin `null`, which the check of other sites would refuse.
        headers["Referrer-Policy"] = "same-origin"
    return Response(text, mimetype="text/html", headers=headers)


def for_a_browser() -> bool:
    """Returns whether this request prefers a page to JSON. Without a preference it gets JSON."""
    best = request.accept_mimetypes.best_match(["application/json", "text/html"], default="application/json")
    return best == "text/html"


def prose(text: str) -> Markup:
    """Returns one of our texts as HTML. Text in backticks becomes code."""
    parts = (
        Markup("<code>{}</code>").format(part) if place % 2 else Markup("{}").format(part)
        for place, part in enumerate(_CODE.split(text))
    )
    return Markup("").join(parts)


def problem_page(status: int, headers: list[tuple[str, str]], problem: bytes) -> Response:
    """Renders a problem as a page, with the same status, headers and content as its document."""
    problem_document = orjson.loads(problem)
    row = Markup("<dt><code>{}</code></dt><dd>{}</dd>")
    errors = Markup("").join(
        row.format(each["pointer"] or "/", prose(each["detail"])) for each in problem_document.get("errors", ())
    )
    body = Markup(
        "<p>{}</p><dl>{}</dl><p><a href='{}/{}'>What this means and what to do</a></p>"
        "<p>Status {}, request <code>{}</code></p><p><a href='{}'>The start page</a></p>"
    ).format(
        prose(problem_document["detail"]),
        errors,
        below("/problems"),
        problem_document["code"],
        status,
        problem_document["requestId"],
        below("/"),
    )
    answer = page(problem_document["title"], body)
    answer.status_code = status
    answer.headers.extend((name, value) for name, value in headers if name not in OF_THE_DOCUMENT)
    return answer


OF_THE_DOCUMENT = ("Content-Type", "Content-Length")
_CODE = re.compile(r"`([^`]*)`")
