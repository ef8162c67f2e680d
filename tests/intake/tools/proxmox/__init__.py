"""The rows of proxmox in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Fields, Headers, Sent

ALARM = ("vzdump backup status (pve1): backup failed", "ERROR", "pve:pve1:vzdump:backup-1")


def of_proxmox(fields: Fields, body: bytes) -> Headers:
    name, value = fields["Headers"].split(" = ")
    secret = fields["Secrets"].split(" = ")
    return {name: value.replace(f"{{{{ secrets.{secret[0]} }}}}", secret[1])}


SENT: Sent = {"proxmox": of_proxmox}
