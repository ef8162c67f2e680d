"""Prints a page for each tool into `docs/senders/` from the snippets: `python -m ops.senders [--write]`."""

from __future__ import annotations

import sys
from pathlib import Path

from inbox.domain.events.time_meaning import TEXTS as TIMES
from inbox.domain.senders.keys import SenderKeyKind
from inbox.intake import snippets
from inbox.intake.registry import TOOL_FOLDERS, TOOLS
from inbox.intake.snippets import SourceKind
from ops import sender_notices

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "senders"
BASE_URL = "https://inbox.example.org"
NOTE = "<!-- Printed by `python -m ops.senders --write` from `inbox/intake/`. Do not edit. -->"
PAGE = "page.txt"
MAIL_SETTINGS = "../configuration.md#mail-from-senders"
KEYS = {
    SenderKeyKind.SOURCE_KEY: "a source key",
    SenderKeyKind.ALIAS_TOKEN: "an alias token",
    SenderKeyKind.SIGNING_SECRET: "a signing secret",
    SenderKeyKind.MAIL_ADDRESS: "a mail address",
    SenderKeyKind.PING_KEY: "a ping key",
}
OF_GROUPS = (
    "The group in which it sends alerts is the incident, and its alerts are inside. `groupBy` of the source or of a rule takes"
    " precedence. For an incident for each alert, set `incidentFor` of the source to `alert`."
)
OF_MAPPING = {"custom": " With `timeMeaning` `moment`, the mapping says that it is the moment of the report."}


KEYS_AND_ADDRESSES = f"""\
## Keys and addresses

1. Create the key that the page names for a source. The dashboard shows it once.
2. Replace `{snippets.KEY}` in the text with the key, and `{BASE_URL}` with the address of your instance.
3. A text for a signing secret also names the source: replace `{snippets.SOURCE}` with its id. The dashboard shows the text with it.
4. A sender that can only be given an address cannot send a key to `/v1/hooks`, because addresses stand in logs and histories. Use `/message?token=…`
   for a source with `allowQueryToken` ([legacy push](legacy_push.md)), its [mails](mail.md), a ping address, or a proxy that adds the header.
5. Mails are received where the operator has [turned it on]({MAIL_SETTINGS}).
"""


def pages() -> dict[str, str]:
    """Returns the text of each page by file name, including the list of all pages."""
    found = {f"{kind.kind}.md": _page(kind) for kind in snippets.KINDS.values()}
    rows = [f"| [{kind.label}]({kind.kind}.md) | {kind.summary} |" for kind in snippets.KINDS.values()]
    listed = ["# Senders", "", NOTE, "", "| Sender | What it sends |", "|---|---|", *rows, "", KEYS_AND_ADDRESSES]
    return {"README.md": "\n".join(listed), **found}


def _page(kind: SourceKind) -> str:
    key = f"[{KEYS[kind.key_kind]}](README.md#keys-and-addresses)"
    lines = [
        f"# {kind.label}",
        "",
        NOTE,
        "",
        kind.summary,
        "",
        f"It needs {key}. Where the text goes: {kind.setup}",
        "",
    ]
    if kind.time is not None:
        lines += [TIMES[kind.time] + OF_MAPPING.get(kind.kind, ""), ""]
    if kind.kind in TOOLS and TOOLS[kind.kind].group is not None:
        lines += [OF_GROUPS, ""]
    for each in kind.snippets:
        if each.label != kind.label:
            lines += [f"## {each.label}", ""]
        if each.key_kind not in (None, kind.key_kind):
            lines += [f"This text takes {KEYS[each.key_kind]}.", ""]
        lines += [f"```{each.language}", each.text(BASE_URL), "```", "", each.expect, ""]
    page = (TOOL_FOLDERS / kind.kind if kind.kind in TOOLS else snippets.TEXTS) / _page_name(kind)
    if page.exists():
        lines += [page.read_text(encoding="utf-8")]
    if kind.kind in sender_notices.KINDS:
        lines += ["## Everything it sends", "", *sender_notices.table(kind.kind), ""]
    return "\n".join(lines)


def _page_name(kind: SourceKind) -> str:
    """Returns the name of the file with more about a kind, for its page alone."""
    return PAGE if kind.kind in TOOLS else f"{kind.kind}-{PAGE}"


def main(arguments: list[str]) -> None:
    """Writes the pages, or prints them."""
    for name, text in pages().items():
        if "--write" in arguments:
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / name).write_text(text, encoding="utf-8")
        else:
            print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
