"""STOP and START: a phone that ends or resumes text messages disables its contact methods (specification 23.21)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.config import settings
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow import mail_outbox
from inbox.flow.unit_of_work import work
from inbox.mail import templates
from inbox.models.people.accounts import User
from inbox.models.people.contact_methods import ContactMethod
from inbox.services.records import audit


def change(provider_id: UUID, address: str, *, is_stopped: bool, now: datetime) -> None:
    """Disable or enable the contact methods with this number, and tell their people. A repeat changes nothing."""
    of_phone = (ContactMethod.provider_id == provider_id) & (ContactMethod.address == address)
    with work() as done:
        for method in ContactMethod.select().where(of_phone).order_by(ContactMethod.id).for_update():
            if (method.disabled_at is not None) == is_stopped:
                continue
            method.disabled_at = now if is_stopped else None
            method.save()
            person = User.get_by_id(method.user_id)
            action: AuditAction = "contact_method.disabled" if is_stopped else "contact_method.enabled"
            about = audit.target("contactMethod", method.id, user_id=method.user_id)
            audit.record(action, target=about, now=now, actor=audit.person(person), details={"kind": method.kind})
            done.publish_change("me", person.id, None, rev=person.rev)
            if is_stopped:
                link = f"{settings.current().base_url}/account"
                mail_outbox.enqueue(
                    done, templates.fill("contact_stopped", name=person.name, link=link), person.email, now
                )
