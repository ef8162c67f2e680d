"""Jenkins: the notification plugin and the outbound webhook plugin."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.source_kind import CLOSES, Snippet

FINAL = ("FINALIZED", "COMPLETED")
SEVERITIES = {"FAILURE": Severity.ERROR, "UNSTABLE": Severity.WARNING, "ABORTED": Severity.WARNING}
"""A build that exceeds its time or loses its agent ends as ABORTED."""

WORDS = {"FAILURE": "failed", "UNSTABLE": "is unstable", "ABORTED": "was aborted", "SUCCESS": "passed"}
PASSED = "SUCCESS"
MAIN_BRANCHES = ("main", "master", "trunk", "develop")
_REQUEST = re.compile(r"/(?:job/)?(?:PR|MR)-\d{1,9}(?:-[a-z]{1,9})?(?:/|$)")
"""Matches the job of a pull request, which nothing ends after its branch is deleted."""


def read(body: Node, payload: Payload) -> Event | None:
    """Returns the event of a finished build; None for other phases and for builds of pull requests."""
    if not body.at("build"):
        return _outbound(body)
    build = body.at("build")
    status, address = build.text("status"), build.text("full_url")
    if build.text("phase") not in FINAL or status not in WORDS or _REQUEST.search(address or build.text("url")):
        return None
    name = body.text("display_name") or body.text("name")
    branch = build.text("scm", "branch")
    return event.either(
        status == PASSED,
        f"{name} {WORDS[status]}",
        _key(address or build.text("url") or body.require("name")),
        Severity.INFO if _is_of_other_branch(address, branch) else SEVERITIES.get(status, Severity.WARNING),
        body="\n".join((f"#{build.text('number')}: {status}", *_failed_tests(build))),
        type="build",
        resource=f"job:{name}",
        tags=event.labels(branch=branch),
        url=address,
        occurredAt=event.epoch(build.text("timestamp"), per_second=1000),
    )


def _is_of_other_branch(address: str, branch: str) -> bool:
    """Returns whether a multibranch project builds another branch than the main one. Nothing ends it after its deletion."""
    job = _key(address).rpartition("/")[2]
    return unquote(unquote(job)) == branch and branch not in MAIN_BRANCHES


def _failed_tests(build: Node) -> list[str]:
    return [found.text() for found in build.elements("test_summary", "failed_tests")]


def _outbound(body: Node) -> Event | None:
    status, name = body.require("event").upper(), body.require("projectName")
    address = body.text("buildUrl")
    if status not in WORDS or _REQUEST.search(address):
        return None
    return event.either(
        status == PASSED,
        f"{name} {WORDS[status]}",
        _key(address or name),
        SEVERITIES.get(status, Severity.WARNING),
        body=event.joined((body.text("buildName"), status), ": "),
        type="build",
        resource=f"job:{name}",
        url=address,
    )


def _key(address: str) -> str:
    """Returns host and path of the job: the address of the build without its number."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return f"jenkins:{address}"
    steps = parts.path.strip("/").split("/")
    job = "/".join(steps[:-1] if len(steps) > 1 and steps[-1].isdecimal() else steps)
    return event.joined(("jenkins", parts.netloc.rpartition("@")[2], job), ":")


TOOL = Tool(
    name="jenkins",
    label="Jenkins",
    summary="Failed and unstable builds; the next green build of the job closes the incident.",
    setup="The Notification plugin of a job; the key as the password in the address.",
    expected="`build`, or `event` and `projectName`, was expected",
    items=body_with("build", "projectName"),
    read=read,
    time=TimeMeaning.MOMENT,
    documentation="https://plugins.jenkins.io/notification/",
    more=(Snippet("pipeline", "Pipeline", "jenkins-pipeline.txt", CLOSES),),
)
