"""GitHub: workflow runs, deployments and security alerts.

A successful run of the same branch resolves a failed one.
"""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Tool, body_with
from inbox.intake.signatures import SigningScheme, hex_hmac
from inbox.intake.source_kind import CLOSES, Snippet

FAILED, PASSED, CANCELLED = ("failure", "timed_out", "startup_failure"), ("success",), "cancelled"
SCHEDULE = "schedule"
DEPLOY_FAILED = ("failure", "error")
OPENED = ("created", "reopened", "appeared_in_branch", "auto_reopened", "reintroduced")
ENDED = ("fixed", "dismissed", "resolved", "closed_by_user", "auto_dismissed", "revoked")
ALERTS = ("dependabot_alert", "secret_scanning_alert", "code_scanning_alert")


def read(body: Node, payload: Payload) -> Event | None:
    """Returns the event of a finished run, a deployment or an alert; None for every other notice."""
    kind, made = payload.header("x-github-event"), None
    if body.at("workflow_run"):
        made = _run(body)
    elif body.at("deployment_status"):
        made = _deployment(body)
    elif kind in ALERTS and body.at("alert"):
        made = _security(body, kind)
    delivery = payload.header("x-github-delivery")
    return made if made is None or not delivery else made | {"idempotencyKey": event.bounded(delivery)}


def _run(body: Node) -> Event | None:
    run, repository = body.at("workflow_run"), body.require("repository", "full_name")
    conclusion, branch = run.text("conclusion"), run.text("head_branch")
    is_default = branch == body.text("repository", "default_branch")
    is_lost = conclusion == CANCELLED and is_default and run.text("event") == SCHEDULE
    of_request = run.text("event").startswith(("pull_request", "merge_group"))
    if body.text("action") != "completed" or of_request or not (is_lost or conclusion in FAILED + PASSED):
        return None
    workflow = run.text("name") or body.text("workflow", "name") or "Workflow"
    words = "passed" if conclusion in PASSED else "was cancelled" if is_lost else "failed"
    level = Severity.WARNING if is_lost else Severity.ERROR
    return event.either(
        conclusion in PASSED,
        f"{workflow} of {repository} ({branch}) {words}",
        f"gh:{repository}:{body.text('workflow', 'id') or run.text('workflow_id')}:{branch}",
        level if is_default else Severity.INFO,
        body="" if conclusion in PASSED else f"{conclusion}, attempt {run.text('run_attempt') or '1'}",
        type="workflow",
        resource=f"repository:{repository}",
        tags=event.labels(branch=branch),
        url=run.text("html_url"),
        metadata={"commit": run.text("head_sha"), "attempt": run.text("run_attempt")},
        occurredAt=event.time(run.text("updated_at")),
    )


def _deployment(body: Node) -> Event | None:
    status, repository = body.at("deployment_status"), body.require("repository", "full_name")
    state, environment = status.text("state"), status.text("environment") or body.text("deployment", "environment")
    if state not in (*DEPLOY_FAILED, *PASSED):
        return None
    passes = body.text("deployment", "transient_environment") == "true"
    return event.either(
        state in PASSED,
        f"Deployment of {repository} to {environment} {'passed' if state in PASSED else 'failed'}",
        f"gh:{repository}:deployment:{environment}",
        Severity.INFO if passes else Severity.ERROR,
        body=status.text("description"),
        type="deployment",
        resource=f"repository:{repository}",
        url=status.first("log_url", "target_url"),
        occurredAt=event.time(status.text("created_at")),
    )


def _security(body: Node, kind: str) -> Event | None:
    alert, action, repository = body.at("alert"), body.text("action"), body.require("repository", "full_name")
    if action not in OPENED + ENDED:
        return None
    advisory = alert.at("security_advisory")
    title = advisory.text("summary") or alert.first("rule.description", "secret_type_display_name", "secret_type")
    return event.either(
        action in ENDED,
        f"{repository}: {title or kind.replace('_', ' ')}",
        f"gh:{repository}:{kind}:{alert.require('number')}",
        event.severity(advisory.text("severity") or alert.text("rule", "security_severity_level")),
        type="security_alert",
        resource=f"repository:{repository}",
        url=alert.text("html_url"),
    )


TOOL = Tool(
    name="github",
    label="GitHub",
    summary="Failed workflow runs, deployments and security alerts of repositories.",
    setup="Settings, Webhooks of the repository or organization.",
    expected="`repository` and one of its events, or a ping, was expected",
    items=body_with("repository", "zen", "organization", "installation"),
    read=read,
    time=TimeMeaning.MOMENT,
    signing=SigningScheme(
        ("X-Hub-Signature-256",),
        "the secret of the webhook",
        hex_hmac("X-Hub-Signature-256", "sha256="),
    ),
    documentation="https://docs.github.com/webhooks",
    more=(Snippet("actions", "GitHub Actions", "github-actions.yml", CLOSES, SenderKeyKind.SOURCE_KEY),),
)
