"""Templates of destinations: their check before they are stored, and their preview on an incident (specification 9.17)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from inbox.destinations import KINDS, WITH_TEMPLATES
from inbox.destinations.template_variables import Variable, listed
from inbox.destinations.templates import TemplateFault, TextTemplate, check
from inbox.domain.deliveries.event_details import added
from inbox.domain.explaining import notice_content
from inbox.domain.values.refusals import Fault, ValidationFailed, run_checks
from inbox.models.deliveries import event_details
from inbox.models.deliveries.tables import Notice


class TextPreview(NamedTuple):
    """The message of the templates, and the variables with their values in it."""

    headline: str
    body: str
    variables: list[Variable]


def check_template(of_kind: str, fields: Mapping[str, Any]) -> None:
    """Raise `ValidationFailed` for templates that cannot be used, and for a kind that has none."""
    stored = fields.get("template")
    if stored is None:
        return
    if of_kind in KINDS and of_kind not in WITH_TEMPLATES:
        label = KINDS[of_kind].description.label
        raise ValidationFailed(errors=[Fault("/template", f"{label} has no templates: its messages have one form")])
    faults = [Fault(f"/template/{name}", text) for name in ("title", "body") if (text := _fault(stored.get(name, "")))]
    if faults:
        raise ValidationFailed(errors=faults)


def newest_notice(workspace_id: UUID, incident_id: UUID) -> Notice:
    """Return the newest notice of the incident. Raises `ValidationFailed` with a pointer."""
    notice: Notice | None = (
        Notice.select()
        .where(Notice.workspace_id == workspace_id, Notice.incident_id == incident_id)
        .order_by(Notice.seq.desc())
        .first()
    )
    if notice is None:
        raise ValidationFailed(errors=[Fault("/incidentId", "must be an incident of the workspace with a notice")])
    return notice


def preview(workspace_id: UUID, template: Mapping[str, Any], incident_id: UUID) -> TextPreview:
    """Render the newest notice of the incident with these templates. Raises `ValidationFailed` with pointers."""
    run_checks(
        lambda: check_template("", {"template": template}),
        lambda: newest_notice(workspace_id, incident_id),
    )
    notice = newest_notice(workspace_id, incident_id)
    details = event_details.of_notices([notice.id]).get(notice.id)
    content = notice_content.of_body((added(notice.body, details) if details else notice.body).encode())
    for name in ("title", "body"):
        try:
            TextTemplate(**{name: template.get(name, "")}).apply(content)
        except TemplateFault as fault:
            raise ValidationFailed(errors=[Fault(f"/template/{name}", str(fault))]) from None
    made = TextTemplate(template.get("title", ""), template.get("body", "")).apply(content)
    return TextPreview(made.headline, made.text, listed(content))


def _fault(text: str) -> str | None:
    try:
        check(text)
    except TemplateFault as fault:
        return str(fault)
    return None
