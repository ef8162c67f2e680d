"""The few plain pages that the API itself shows to a person: no scripts, one style, allowed by its hash."""

from __future__ import annotations

import base64
import hashlib

from flask import Response
from markupsafe import Markup

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#1c2430;"
    "background:#fff}a{color:#0b5cad}code{background:#eef1f5;padding:.1em .3em;border-radius:3px}"
    "dt{font-weight:600}dd{margin:0 0 1rem}"
    "@media(prefers-color-scheme:dark){body{color:#e6e9ee;background:#14181f}a{color:#7ab8ff}code{background:#252c37}}"
)
POLICY = (
    "default-src 'none'; style-src 'sha256-"
    + base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    + "'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


def page(title: str, body: Markup) -> Response:
    """A whole page; `body` is markup, `title` plain text."""
    text = Markup(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><style>{}</style></head>'
        "<body><h1>{}</h1>{}</body></html>"
    ).format(title, Markup(STYLE), title, body)
    return Response(text, mimetype="text/html", headers={"Content-Security-Policy": POLICY})
