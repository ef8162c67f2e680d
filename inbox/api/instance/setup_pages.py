"""The set-up page: a plain form that creates the first account without the dashboard (decision 0027)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping

from flask import Response
from markupsafe import Markup

from inbox.api.http.base_path import below
from inbox.config import settings
from inbox.domain.people.passwords import MIN_LENGTH
from inbox.runtime.distribution import typed

STYLE = """
:root{--text:#1a2230;--soft:#5b6675;--line:#d4dae3;--page:#f3f5f8;--card:#fff;--field:#fff;--accent:#1f5fbf;--on:#fff;
--bad:#b3261e;--code:#f0f3f7;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--text:#e7eaf0;--soft:#9aa6b6;--line:#343d4b;--page:#11151b;--card:#1a2029;
--field:#11151b;--accent:#7fb2ff;--on:#0b1524;--bad:#ff9a92;--code:#11151b}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;padding:3rem 1rem;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:30rem;margin:0 auto;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:12px}
main.wide{max-width:44rem}
h1{margin:0 0 .25rem;font-size:1.5rem;line-height:1.25}h2{margin:2rem 0 .5rem;font-size:1.05rem}
p{margin:0 0 1rem}.soft{color:var(--soft)}
label{display:block;margin-top:1.1rem;font-weight:600}
.hint{display:block;font-weight:400;font-size:.875rem;color:var(--soft)}
.bad{display:block;font-weight:400;font-size:.875rem;color:var(--bad)}
input{display:block;width:100%;margin-top:.3rem;padding:.6rem .7rem;font:inherit;font-weight:400;color:inherit;background:var(--field);
border:1px solid var(--line);border-radius:8px}
input[aria-invalid]{border-color:var(--bad)}
input:focus,button:focus-visible,a:focus-visible,pre:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
button{width:100%;margin-top:1.6rem;padding:.7rem;font:inherit;font-weight:600;color:var(--on);background:var(--accent);
border:0;border-radius:8px;cursor:pointer}
.notice{padding:.7rem .9rem;border-left:4px solid var(--bad);background:var(--code);border-radius:4px}
pre{margin:0;padding:1rem;overflow-x:auto;background:var(--code);border:1px solid var(--line);border-radius:8px;
font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
code{font-family:ui-monospace,monospace;font-size:.9em;white-space:nowrap}a{color:var(--accent)}
nav{margin-top:2rem;font-size:.875rem}
@media(max-width:480px){body{padding:0}main{padding:1.5rem 1rem;border:0;border-radius:0;min-height:100vh}}
"""

SCRIPT = """\
"use strict";
const token = new URLSearchParams(location.hash.slice(1)).get("token");
const field = document.getElementById("token");
if (token && field && !field.value) {
  field.value = token;
  document.getElementById("token-label").hidden = true;
  document.getElementById("email").focus();
}
"""
"""Puts the token of the link into its field. Browsers send the part after `#` to no server."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'sha256-"
    + base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    + "'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)

FIELDS = (
    ("email", "email", "Email address", "You sign in with it.", "username"),
    ("name", "text", "Your name", "Other members see it next to your actions.", "name"),
    (
        "password",
        "password",
        "Password",
        f"At least {MIN_LENGTH} characters. Several words work well.",
        "new-password",
    ),
    ("workspaceName", "text", "Workspace name", "A team, a company, or Home.", "organization"),
)


def form(values: Mapping[str, str], faults: Mapping[str, str], notice: str = "", status: int = 200) -> Response:
    """Returns the form with the sent values except the password, and with each fault beside its field."""
    body = Markup(
        '<h1>Set up {name}</h1><p class="soft">Create the first account. It administers this instance.</p>{notice}'
        '<form method="post" action="{setup}">'
        '<label id="token-label">Setup token<span class="hint">The part after <code>#token=</code> of the printed link.'
        " <code>{command}</code> prints a new one.</span>"
        '{bad}<input id="token" name="token" value="{token}" required autocomplete="off" spellcheck="false"></label>'
        '{fields}<button type="submit">Create the account</button></form><script src="{script}" defer></script>'
    ).format(
        name=settings.current().name,
        setup=below("/v1/setup"),
        script=below("/setup.js"),
        command=typed("setup-link"),
        notice=Markup('<p class="notice" role="alert">{}</p>').format(notice) if notice else "",
        bad=_fault_text(faults.get("token")),
        token=values.get("token", ""),
        fields=Markup("").join(_field(each, values, faults) for each in FIELDS),
    )
    return _page(f"Set up {settings.current().name}", body, status)


def created_page(name: str, key: str) -> Response:
    """Returns the page after the set-up, with the first source key, which is shown once."""
    base_url = settings.current().base_url
    send = f'curl {base_url}/v1/events -H "Authorization: Bearer {key}" -d '
    opened = """'{"title": "Backup of db-1 failed", "severity": "ERROR", "dedupKey": "backup:db-1"}'"""
    ended = """'{"title": "Backup of db-1 succeeded", "action": "resolve", "dedupKey": "backup:db-1"}'"""
    body = Markup(
        '<h1>Welcome, {}</h1><p class="soft">Your account and your workspace exist, and you are signed in.</p>'
        "<h2>1. Send an event</h2><p>Paste this into a terminal. It holds the key of your first source, which is "
        '<strong>shown only once</strong>: store it now.</p><pre tabindex="0">{}</pre>'
        '<h2>2. See the incident</h2><p>It is in <a href="{}">your list of incidents</a>.</p>'
        '<h2>3. Resolve the incident</h2><p>The same <code>dedupKey</code> with <code>"action": "resolve"</code>:</p>'
        '<pre tabindex="0">{}</pre>'
        '<h2>Next</h2><p><a href="{}">The API</a> creates destinations, rules and more sources. '
        "<code>{}</code> lists the commands for operators.</p>"
    ).format(name, send + opened, below("/v1/incidents"), send + ended, below("/v1/openapi.json"), typed("--help"))
    return _page("Welcome", body, 201, wide=True)


def already(status: int = 200) -> Response:
    """Returns the page for an instance that already has an account."""
    body = Markup(
        "<h1>This instance is already set up</h1><p>An account exists: sign in. The set-up link no longer works.</p>"
        '<p>Sign in with <code>POST /v1/auth/login</code> of <a href="{}">'
        "the API</a>. To reset a lost password, run <code>{}</code>.</p>"
    ).format(below("/v1/openapi.json"), typed("user reset-password"))
    return _page("Already set up", body, status)


def script() -> Response:
    """Returns the script of the form."""
    return Response(SCRIPT, mimetype="text/javascript")


def _field(field: tuple[str, str, str, str, str], values: Mapping[str, str], faults: Mapping[str, str]) -> Markup:
    name, kind, label, hint, complete = field
    return Markup(
        '<label>{}<span class="hint">{}</span>{}<input id="{}" name="{}" type="{}" value="{}" autocomplete="{}" '
        "required{}></label>"
    ).format(
        label,
        hint,
        _fault_text(faults.get(name)),
        name,
        name,
        kind,
        "" if kind == "password" else values.get(name, ""),
        complete,
        Markup(' aria-invalid="true"') if name in faults else "",
    )


def _fault_text(fault: str | None) -> Markup:
    return Markup('<span class="bad" role="alert">{}</span>').format(fault) if fault else Markup("")


def _page(title: str, body: Markup, status: int, *, wide: bool = False) -> Response:
    text = Markup(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><style>{}</style></head>'
        "<body><main{}>{}{}</main></body></html>"
    ).format(title, Markup(STYLE), Markup(' class="wide"') if wide else "", body, _legal_links())
    # Without a referrer a form sends the origin `null`, which the check of other sites would refuse.
    headers = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin"}
    return Response(text, status=status, mimetype="text/html", headers=headers)


def _legal_links() -> Markup:
    links = Markup(" · ").join(
        Markup('<a href="{}" rel="noreferrer">{}</a>').format(link.url, link.name)
        for link in settings.current().legal_links
    )
    return Markup('<nav aria-label="Legal">{}</nav>').format(links) if links else links
