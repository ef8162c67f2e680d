"""Serves the dashboard: its document at the address of every page, and its built files (decision 0027).

Pages are an explicit list. A route for every path would answer `GET /v1/nope` with a page, and `POST /v1/event` with
405.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path

import structlog
from flask import Flask, Response, current_app, request
from markupsafe import Markup

from inbox.api.http import cookies
from inbox.api.http.base_path import below
from inbox.api.http.blueprint import Pages
from inbox.api.http.pages import page
from inbox.api.http.policy import NONE, EndpointPolicy
from inbox.api.instance.built_files import ENCODINGS, Build, BuiltFile, read, stamp
from inbox.config import settings
from inbox.domain.values.refusals import NotFound

log = structlog.get_logger("inbox.dashboard")

PAGES = (
    "/login",
    "/signup",
    "/invite",
    "/reset",
    "/forgot",
    "/email-change",
    "/verify-email",
    "/pair",
    "/wall",
    "/welcome",
    "/docs",
    "/account",
    "/account/<path:rest>",
    "/admin",
    "/admin/<path:rest>",
    "/w/<slug>",
    "/w/<slug>/<path:rest>",
)
"""Addresses of the dashboard.

`/` and `/set-up` belong to it, too; `landing_page` serves plain pages there without a build.
"""

MANIFEST, WORKER = "/manifest.webmanifest", "/sw.js"
ROOT_FILES = (
    WORKER,
    MANIFEST,
    "/favicon.ico",
    "/favicon.svg",
    "/robots.txt",
    "/icons/<name>",
)
"""Files whose names browsers know."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src-elem 'self' 'nonce-{nonce}'; style-src-attr 'unsafe-inline';"
    " img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; worker-src 'self'; manifest-src 'self';"
    " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
WORKER_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
"""The policy of the service worker: it loads the same files as its pages, and nothing from elsewhere."""

PERMISSIONS = "camera=(), microphone=(), geolocation=(), payment=(), usb=()"
BASE, NONCE, NAME = "__BASE__", "__NONCE__", "__NAME__"
"""The placeholders of the path of the base URL, the nonce and the name of the instance in built files."""

SIGNED_IN = ("", "w", "account", "admin", "welcome")
"""The first parts of the addresses that people see after they have signed in."""

SHOWS_FRAME = ("<html ", "<html data-frame ")
"""How the document shows the empty frame of the app until the first script runs (`web/src/frame.css`)."""

LINKS = {
    ".js": '<link rel="modulepreload" crossorigin href="{}">',
    ".css": '<link rel="preload" as="style" crossorigin href="{}">',
}
"""The script of a screen makes its styles a stylesheet. As one in the document they would delay the first paint."""

FOREVER = "public, max-age=31536000, immutable"
NOT_BUILT = "The dashboard is not built. Run bin/dashboard, or start the service with bin/up, which builds it."
READY = "inbox.dashboard"

blp = Pages("dashboard", __name__)


@dataclass
class _Served:
    """The folder of this app, and the build that was read last."""

    folder: Path | None
    build: Build | None = None

    def current(self) -> Build | None:
        """Returns the current build. It is read again after each build. The previous one is kept while a build runs."""
        if self.folder is None:
            return None
        built_at = stamp(self.folder)
        if built_at and (self.build is None or self.build.stamp != built_at):
            try:
                self.build = read(self.folder)
            except OSError as fault:
                log.warning("the built dashboard cannot be read", fault=type(fault).__name__)
        return self.build


def install(app: Flask, folder: Path | None) -> None:
    """Serves the build in `folder`."""
    app.extensions[READY] = _Served(folder)


def document() -> Response | None:
    """Returns the document of the dashboard with a new nonce, or None without a build."""
    build = _served().current()
    if build is None:
        return None
    nonce = secrets.token_urlsafe(16)
    framed = build.document.replace(*SHOWS_FRAME, 1) if _is_signed_in() else build.document
    text = (
        framed.replace("</head>", f"{_links(build)}</head>", 1)
        .replace(BASE, below(""))
        .replace(NONCE, nonce)
        .replace(NAME, str(Markup.escape(settings.current().name)))
    )
    return Response(
        text,
        mimetype="text/html",
        headers={
            "Cache-Control": "private, no-cache",  # `no-store` would disable the browser's cache of previous pages
            "Content-Security-Policy": POLICY.format(nonce=nonce),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Permissions-Policy": PERMISSIONS,
            "X-Frame-Options": "DENY",
        },
    )


def _links(build: Build) -> str:
    """Returns the links to what the page loads next, so that the browser does not wait for a script to name it.

    They are the files of the screen, and `GET /v1/start` where a session reads it. A paired device sends its token with
    other options, so it never takes that answer.
    """
    first, *rest = request.path.strip("/").split("/")
    name = first or "inbox"
    if first == "w":
        name = rest[1] if len(rest) > 1 else "inbox"
    if first in SIGNED_IN and not _is_signed_in():
        name = "login"
    links = [LINKS[Path(file).suffix].format(BASE + file) for file in build.screens.get(name, ())]
    if _is_signed_in():
        links.append(f'<link rel="preload" as="fetch" crossorigin href="{BASE}/v1/start">')
    return "".join(links)


def _is_signed_in() -> bool:
    """Whether the address is one for people who have signed in, and the browser has a session."""
    return request.path.strip("/").split("/")[0] in SIGNED_IN and bool(cookies.read(cookies.SESSION))


def why_missing() -> str:
    """Returns one sentence that says why there is no dashboard."""
    folder = _served().folder
    try:
        return (folder.parent / ".built" / "missing").read_text() if folder else NOT_BUILT
    except OSError:
        return NOT_BUILT


@EndpointPolicy(NONE, workspace_from="none", database=False)
def _page(slug: str = "", rest: str = "") -> Response:
    shown = document()
    if shown is None:
        body = Markup('<p>{} Then open this address again.</p><p><a href="{}">The start page</a></p>')
        shown = page("This page needs the dashboard", body.format(why_missing(), below("/")))
        shown.status_code = 503
    return shown


@EndpointPolicy(NONE, workspace_from="none", database=False, quiet=True)
def _asset(name: str) -> Response:
    return _sent(f"assets/{name}")


@EndpointPolicy(NONE, workspace_from="none", database=False, quiet=True)
def _root_file(name: str = "") -> Response:
    if request.path == MANIFEST:
        return _manifest()
    answer = _sent(request.path[1:])
    if request.path == WORKER:
        answer.headers["Content-Security-Policy"] = WORKER_POLICY
    return answer


def _manifest() -> Response:
    """The manifest of the installed app, with the path and the name of the instance."""
    build = _served().current()
    found = build.files.get(MANIFEST[1:]) if build is not None else None
    if found is None:
        raise NotFound()
    name = json.dumps(settings.current().name)[1:-1]
    text = found.bodies["identity"].decode().replace(BASE, below("")).replace(NAME, name)
    return Response(text, content_type=found.content_type, headers={"Cache-Control": "no-cache"})


def _sent(path: str) -> Response:
    build = _served().current()
    found = build.files.get(path) if build is not None else None
    if found is None:
        raise NotFound()
    encoding = _encoding(found)
    answer = Response(found.bodies[encoding], content_type=found.content_type)
    if encoding != "identity":
        answer.content_encoding = encoding
    answer.vary.add("Accept-Encoding")
    answer.headers["Cache-Control"] = FOREVER if found.is_hashed else "no-cache"
    return answer


def _encoding(found: BuiltFile) -> str:
    accepted = request.accept_encodings
    return next((each for each, _ in ENCODINGS if each in found.bodies and accepted[each] > 0), "identity")


def _served() -> _Served:
    served: _Served = current_app.extensions[READY]
    return served


for _path in PAGES:
    blp.add_url_rule(_path, "page", _page, methods=["GET"])
for _path in ROOT_FILES:
    blp.add_url_rule(_path, "root_file", _root_file, methods=["GET"])
blp.add_url_rule("/assets/<name>", "asset", _asset, methods=["GET"])
