"""The message with the code that confirms a contact method. It is sent at once and stored nowhere."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.domain.deliveries.notices import PAYLOAD_VERSION
from inbox.domain.explaining.notice_content import CODE
from inbox.domain.values.severity import Severity
from inbox.domain.values.times import rfc3339

TEXT = "Enter it in your account, so that pages reach you here. It works once, within 15 minutes."


def body(code: str, workspace: str, url: str, now: datetime) -> dict[str, Any]:
    """Returns the body of the message, in the shape of a notice."""
    data = {
        "v": PAYLOAD_VERSION,
        "title": f"{code} is your code for {workspace}",
        "severity": Severity.INFO,
        "state": "",
        "sourceName": "",
        "resource": "",
        "workspaceName": workspace,
        "incidentId": "",
        "firstSeenAt": rfc3339(now),
        "url": url,
        "reason": CODE,
        "text": TEXT,
        "code": code,
    }
    return {"type": CODE, "timestamp": rfc3339(now), "data": data}
