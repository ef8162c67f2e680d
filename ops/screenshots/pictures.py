"""The table of pictures: each screen with its address, and the pictures in documents."""

from __future__ import annotations

from typing import NamedTuple

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
SIZES = {"wide": WIDE, "phone": PHONE}
THEMES = ("light", "dark")


class Screen(NamedTuple):
    """A screen: its name, its address, and whether it is shown to a browser without a session.

    The address may contain names of records: `{disk}` is the id of the incident about the disk, and so on.
    """

    name: str
    path: str
    signed_in: bool = True


SCREENS = (
    Screen("inbox", "/w/demo/inbox"),
    Screen("inbox-all", "/w/demo/inbox?state=all"),
    Screen("incident", "/w/demo/incidents/{disk}"),
    Screen("incident-notices", "/w/demo/incidents/{cards}?tab=notices"),
    Screen("incident-events", "/w/demo/incidents/{disk}?tab=events"),
    Screen("incident-story", "/w/demo/incidents/{orders}"),
    Screen("on-call", "/w/demo/on-call"),
    Screen("on-call-statistics", "/w/demo/on-call?tab=statistics"),
    Screen("schedule", "/w/demo/on-call/{schedule}"),
    Screen("schedule-month", "/w/demo/on-call/{schedule}?view=month"),
    Screen("schedule-edit", "/w/demo/on-call/{schedule}/edit"),
    Screen("events", "/w/demo/events"),
    Screen("sources", "/w/demo/sources"),
    Screen("source", "/w/demo/sources/{source}"),
    Screen("source-events", "/w/demo/sources/{source}?tab=events"),
    Screen("source-keys", "/w/demo/sources/{source}?tab=keys"),
    Screen("keys", "/w/demo/keys"),
    Screen("rules", "/w/demo/rules"),
    Screen("rule", "/w/demo/rules/{rule}"),
    Screen("default-route", "/w/demo/rules/default"),
    Screen("profiles", "/w/demo/profiles"),
    Screen("profile", "/w/demo/profiles/{profile}"),
    Screen("silences", "/w/demo/silences"),
    Screen("silence-new", "/w/demo/silences/new"),
    Screen("destinations", "/w/demo/destinations"),
    Screen("destination", "/w/demo/destinations?edit={destination}"),
    Screen("heartbeats", "/w/demo/heartbeats"),
    Screen("heartbeat", "/w/demo/heartbeats/{backup}"),
    Screen("heartbeat-down", "/w/demo/heartbeats/{export}"),
    Screen("heartbeat-setup", "/w/demo/heartbeats/{backup}?tab=setup"),
    Screen("heartbeat-pings", "/w/demo/heartbeats/{backup}?tab=pings"),
    Screen("heartbeat-history", "/w/demo/heartbeats/{backup}?tab=history"),
    Screen("heartbeat-settings", "/w/demo/heartbeats/{backup}?tab=settings"),
    Screen("heartbeat-new", "/w/demo/heartbeats/new"),
    Screen("watchers", "/w/demo/watchers"),
    Screen("deliveries", "/w/demo/deliveries"),
    Screen("delivery", "/w/demo/deliveries/{delivery}"),
    Screen("statistics", "/w/demo/statistics"),
    Screen("wall", "/w/demo/wall"),
    Screen("members", "/w/demo/members"),
    Screen("audit", "/w/demo/audit"),
    Screen("settings", "/w/demo/settings"),
    Screen("welcome", "/w/demo/welcome"),
    Screen("account", "/account"),
    Screen("admin", "/admin"),
    Screen("admin-people", "/admin?tab=people"),
    Screen("login", "/login", signed_in=False),
)


class DocumentPicture(NamedTuple):
    """A picture of `docs/images`: its file name without extension, the screen, the theme and the size."""

    file: str
    screen: str
    theme: str = "light"
    size: str = "wide"


DOCUMENT_PICTURES = (
    DocumentPicture("inbox", "inbox"),
    DocumentPicture("inbox-dark", "inbox", "dark"),
    DocumentPicture("inbox-phone", "inbox", "light", "phone"),
    DocumentPicture("incident", "incident"),
    DocumentPicture("notices", "incident-notices"),
    DocumentPicture("rule", "rule"),
    DocumentPicture("schedule", "schedule"),
    DocumentPicture("destinations", "destinations"),
    DocumentPicture("statistics", "statistics"),
)
