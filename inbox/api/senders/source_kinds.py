"""The catalogue of source kinds, and the snippets of a source (specification 19.7)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, authorize
from inbox.api.senders.schemas.source_kinds import SourceKinds, SourceSnippets
from inbox.config import settings
from inbox.config.settings import Settings
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.intake import snippets, source_kind_forms
from inbox.intake.source_kind import MailPlace, SourceKind
from inbox.intake.source_kind_forms import SourceIcon
from inbox.services.senders import sources

NO_MAIL_IN = "This instance receives no mails. The operator sets INBOX_MAIL_IN_PORT."

blp = Blueprint(
    "source_kinds", __name__, url_prefix="/v1", description="Ways in, and texts that use them.", section="19.7"
)


@blp.route("/source-kinds", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(200, SourceKinds)
def list_kinds() -> dict[str, Any]:
    """List the source kinds

    Every source accepts all that are available, each with its kind of key.
    """
    chosen = settings.current()
    return {"items": [_record(kind, chosen) for kind in snippets.KINDS.values()]}


@blp.route("/sources/<typeid(src):source_id>/snippets", methods=["GET"], endpoint="snippets")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, SourceSnippets)
def list_snippets(source_id: UUID) -> dict[str, Any]:
    """List the snippets of a source

    Ready texts with the address of this instance. They contain no key: replace `keyPlaceholder`.
    """
    sent_id = ids.encode(Prefix.SOURCE, authorize(sources.find(source_id)).id)
    chosen = settings.current()
    mail = MailPlace(chosen.mail_in_domain, chosen.mail_in_port)
    items = [
        {
            "kind": kind.kind,
            "name": each.name,
            "label": each.label,
            "language": each.language,
            "key_kind": each.key_kind or kind.key_kind,
            "text": each.text(chosen.base_url, sent_id, mail),
            "expect": each.expect,
        }
        for kind in _kinds(chosen)
        for each in kind.snippets
    ]
    return {"key_placeholder": snippets.KEY, "items": items}


def _record(kind: SourceKind, chosen: Settings) -> dict[str, Any]:
    reason = _unavailable_because(kind, chosen)
    return {
        "kind": kind.kind,
        "label": kind.label,
        "summary": kind.summary,
        "setup": kind.setup,
        "path": kind.path,
        "key_kind": kind.key_kind,
        "key_kinds": source_kind_forms.key_kinds(kind),
        "icon": source_kind_forms.ICONS.get(kind.kind, SourceIcon.TOOL),
        "docs_url": source_kind_forms.DOCUMENTATION.get(kind.kind),
        "available": reason is None,
        "unavailable_because": reason,
        "fields": source_kind_forms.fields(kind),
    }


def _kinds(chosen: Settings) -> list[SourceKind]:
    """Returns the kinds that this instance accepts."""
    return [kind for kind in snippets.KINDS.values() if _unavailable_because(kind, chosen) is None]


def _unavailable_because(kind: SourceKind, chosen: Settings) -> str | None:
    if kind is snippets.MAIL and not chosen.can_receive_mail:
        return NO_MAIL_IN
    return None
