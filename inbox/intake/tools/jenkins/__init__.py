"""Jenkins: the notification plugin and the outbound webhook plugin."""

from __future__ import annotations

from urllib.parse import urlsplit

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.source_kind import CLOSES, Snippet

FINAL = ("FINALIZED", "COMPLETED")
SEVERITIES = {"FAILURE": Severity.ERROR, "UNSTABLE": Severity.WARNING}
PASSED = "SUCCESS"


def read(body: Node, payload: Payload) -> Event | None:
    """Returns the event of a finished build; None for other phases and for aborted builds."""
    if not body.at("build"):
        return _outbound(body)
    build = body.at("build")
    status, address = build.text("status"), build.text("full_url")
    if build.text("phase") not in FINAL or status not in (*SEVERITIES, PASSED):
        return None
    name = body.text("display_name") or body.text("name")
    branch = build.text("scm", "branch")
    return event.either(
        status == PASSED,
        f"{name} #{build.text('number')}: {status}",
        _key(address or build.text("url") or body.require("name")),
        SEVERITIES.get(status, Severity.WARNING),
        body="\n".join(found.text() for found in build.elements("test_summary", "failed_tests")),
        type="build",
        resource=f"job:{name}",
        tags=event.tags(branch),
        url=address,
        occurredAt=event.epoch(build.text("timestamp"), per_second=1000),
    )


def _outbound(body: Node) -> Event | None:
    status, name = body.require("event").upper(), body.require("projectName")
    if status not in (*SEVERITIES, PASSED):
        return None
    address = body.text("buildUrl")
    return event.either(
        status == PASSED,
        f"{name} {body.text('buildName')}: {status}",
        _key(address or name),
        SEVERITIES.get(status, Severity.WARNING),
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
