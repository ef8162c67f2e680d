"""Reads applications of Gotify: each becomes a source with the application's token as alias (specification 22.8)."""

from __future__ import annotations

from typing import Any

from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind
from inbox.intake.base import Node
from inbox.intake.importers import plan
from inbox.intake.importers.import_kind import of_one_answer
from inbox.intake.importers.plan import Item, ItemKind, Plan, Unreadable

APPLICATIONS = "/application"
QUERY = (
    "Sources with a token take it in the query too, because most senders of Gotify put it there. Proxies may log it. Set"
    " allowQueryToken of a source to false where all senders use a header."
)


def read(document: Any) -> Plan:
    """Returns the plan of an answer of `GET /application`. Raises `Unreadable`."""
    if not isinstance(document, list):
        raise Unreadable("It is no array of applications.")
    made = Plan()
    made.warn("Clients, users and stored messages are not imported.")
    for each in made.reading(Node(document).items()):
        _add(made, each)
    if any(item.token for item in made.items):
        made.warn(QUERY)
    return made


def _add(made: Plan, application: Node) -> None:
    name, mark = plan.line(application.text("name")), application.text("id")
    if application.text("internal") == "true":
        made.leave_out(name, "The application is internal to the server.")
        return
    if not mark or not name:
        made.leave_out(name, "The application has no id or no name.")
        return
    token = application.text("token")
    is_taken_over = keys.well_formed(KeyKind.ALIAS, token)
    made.add(
        Item(
            ItemKind.SOURCE,
            plan.line(f"gotify:{mark}", plan.REFERENCE_LIMIT),
            name,
            "A source that keeps the token of the application." if is_taken_over else "A source without a token.",
            {"allow_query_token": True} if is_taken_over else {},
            token=token if is_taken_over else "",
            snippet="Senders change the address of the server alone." if is_taken_over else "",
            warnings=() if is_taken_over else ("Its token cannot be taken over. Create an alias token of the source.",),
        )
    )
    priority = application.at("defaultPriority").value
    if isinstance(priority, int) and priority:
        made.warn("Default priorities are not imported. A message without a priority is INFO.")


IMPORT = of_one_answer(
    "gotify",
    "Gotify",
    ("Applications become sources that keep their tokens.", "A client token of the server."),
    APPLICATIONS,
    read,
    header=("X-Gotify-Key", ""),
    position=60,
)
