"""GitLab: pipelines, jobs and deployments.

A successful pipeline of the same branch resolves a failed one.
"""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.signatures import SignedRequest, SigningScheme, standard_webhooks, token
from inbox.intake.source_kind import CLOSES, Snippet

FAILED, PASSED, CANCELLED = "failed", "success", "canceled"
WORDS = {FAILED: "failed", PASSED: "passed", CANCELLED: "was cancelled"}
SCHEDULE = "schedule"
REQUESTS = ("merge_request_event", "external_pull_request_event", "parent_pipeline")
"""Pipelines that give no event: nothing ends them after the branch is deleted, or their parent reports them."""

MAIN_BRANCHES = ("main", "master", "trunk")
"""The default branches where a notice does not name it."""

PASSING_TIERS = ("testing", "development")

_has_token = token("X-Gitlab-Token")


def read(body: Node, payload: Payload) -> Event | None:
    """Returns the event of a finished pipeline, job or deployment; None for other notices.

    Those are accepted, because GitLab turns off a webhook whose requests fail.
    """
    kind, made = body.text("object_kind"), None
    if kind == "pipeline":
        made = _pipeline(body)
    elif kind == "build":
        made = _job(body)
    elif kind == "deployment":
        made = _deployment(body)
    delivery = payload.header("idempotency-key")
    return made if made is None or not delivery else made | {"idempotencyKey": event.bounded(delivery)}


def _pipeline(body: Node) -> Event | None:
    run, project = body.at("object_attributes"), body.at("project")
    status, ref = run.text("status"), run.text("ref")
    is_default = _is_default(project, ref)
    is_lost = status == CANCELLED and is_default and run.text("source") == SCHEDULE
    is_of_request = run.text("source") in REQUESTS or body.at("merge_request").text("id")
    if is_of_request or not (is_lost or status in (FAILED, PASSED)):
        return None
    path, address = project.text("path_with_namespace"), project.text("web_url")
    return event.either(
        status == PASSED,
        f"Pipeline of {path or 'project'} ({ref}) {WORDS[status]}",
        f"gl:{project.require('id')}:pipeline:{ref}",
        (Severity.WARNING if is_lost else Severity.ERROR) if is_default else Severity.INFO,
        body="\n".join(_failed_jobs(body)),
        type="pipeline",
        resource=f"project:{path}" if path else "",
        tags=event.labels(branch=ref),
        url=run.text("url") or (f"{address}/-/pipelines/{run.text('id')}" if address else ""),
        occurredAt=event.time(run.text("finished_at")),
    )


def _is_default(project: Node, ref: str) -> bool:
    branch = project.text("default_branch")
    return ref == branch if branch else ref in MAIN_BRANCHES


def _failed_jobs(body: Node) -> list[str]:
    failed = [job for job in body.elements("builds") if job.text("status") == FAILED]
    return [f"{job.text('stage')}: {job.text('name')}" for job in failed if job.text("allow_failure") != "true"]


def _job(body: Node) -> Event | None:
    status, ref, name = body.text("build_status"), body.text("ref"), body.text("build_name")
    is_of_request = ref.startswith("refs/merge-requests/") or body.text("source") in REQUESTS
    if status not in (FAILED, PASSED) or body.text("build_allow_failure") == "true" or is_of_request:
        return None
    project = body.text("project_name") or body.text("repository", "name")
    address = body.text("repository", "homepage")
    return event.either(
        status == PASSED,
        f"Job {name} of {project} ({ref}) {WORDS[status]}",
        f"gl:{body.require('project_id')}:job:{ref}:{name}",
        Severity.WARNING if _is_default(body.at("project"), ref) else Severity.INFO,
        body=body.text("build_failure_reason") if status == FAILED else "",
        type="job",
        resource=f"project:{project}" if project else "",
        tags=event.labels(branch=ref),
        url=f"{address}/-/jobs/{body.text('build_id')}" if address else "",
    )


def _deployment(body: Node) -> Event | None:
    status, environment = body.text("status"), body.text("environment")
    if status not in (FAILED, PASSED):
        return None
    path = body.text("project", "path_with_namespace")
    passes = body.text("environment_tier") in PASSING_TIERS or environment.startswith("review/")
    return event.either(
        status == PASSED,
        f"Deployment of {path} to {environment} {WORDS[status]}",
        f"gl:{body.require('project', 'id')}:deployment:{environment}",
        Severity.INFO if passes else Severity.ERROR,
        type="deployment",
        resource=f"project:{path}" if path else "",
        url=body.text("deployable_url"),
    )


def is_signed(secret: str, request: SignedRequest) -> bool:
    """Returns whether the secret token or the signature of the newer signing token matches the secret."""
    if request.header("webhook-signature"):
        return standard_webhooks(secret, request)
    return _has_token(secret, request)


TOOL = Tool(
    name="gitlab",
    label="GitLab",
    summary="Failed pipelines, jobs and deployments of projects.",
    setup="Settings, Webhooks of the project or group.",
    expected="`object_kind` was expected",
    items=body_with("object_kind", "event_name"),
    read=read,
    time=TimeMeaning.MOMENT,
    signing=SigningScheme(
        ("X-Gitlab-Token", "webhook-signature"), "the secret token or the signing token of the webhook", is_signed
    ),
    documentation="https://docs.gitlab.com/user/project/integrations/webhooks/",
    more=(Snippet("ci", "GitLab CI", "gitlab-ci.yml", CLOSES, SenderKeyKind.SOURCE_KEY),),
)
