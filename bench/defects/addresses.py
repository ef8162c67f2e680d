"""Defects of called addresses, of sign-in, and of the creation of workspaces."""

from __future__ import annotations

from bench.defects.defect import defect

OWN = "tests/destinations/test_own.py"

DEFECTS = (
    defect(
        "a server bound to all addresses is protected at none",
        "inbox/destinations/outbound_policy.py",
        "            return is_local(address)\n",
        "            return False\n",
        OWN,
        "tests/destinations/test_outbound_policy.py",
    ),
    defect(
        "the port of a name that does not resolve is open",
        "inbox/destinations/outbound_policy.py",
        "return not found or address in found",
        "return address in found",
        OWN,
    ),
    defect(
        "every address of IPv6 that nothing reserves is public",
        "inbox/domain/values/addresses.py",
        "    if address.version == 6 and not _is_in(address, GLOBAL_UNICAST):\n",
        "    if address.version == 7 and not _is_in(address, GLOBAL_UNICAST):\n",
        "tests/domain/values/test_address_spellings.py",
        "tests/domain/values/test_addresses_policy.py",
    ),
    defect(
        "wrong passwords from elsewhere shut out a known client",
        "inbox/services/people/known_clients.py",
        "if KnownClient.has(user_id, kind, digest, now) else None",
        "if KnownClient.has(user_id, kind, digest, now) and not user_id else None",
        "tests/api/sign_in/test_known_clients.py",
    ),
    defect(
        "an address counts as verified for anything that is true",
        "inbox/identity/oidc.py",
        'claim in (True, "true") if isinstance(claim, bool | str)',
        "bool(claim) if isinstance(claim, bool | str)",
        "tests/identity/test_oidc_providers.py",
    ),
    defect(
        "a common word with digits around it is a good password",
        "inbox/domain/people/passwords.py",
        "    return _core_rejection(lowered, blocklist, email.lower())\n",
        "    return None\n",
        "tests/services/people/test_passwords.py",
    ),
    defect(
        "everybody creates workspaces whatever the settings say",
        "inbox/services/workspaces/workspaces.py",
        'creation == "administrators" and not owner.is_instance_admin',
        'creation == "nobody" and not owner.is_instance_admin',
        "tests/api/workspaces/test_workspaces.py::test_workspaces_are_created_by_the_people_that_the_settings_allow",
    ),
    defect(
        "an export may be reported to wait for longer than a minute",
        "inbox/services/workspaces/export.py",
        "retry_after=min(max(1, wait), most)",
        "retry_after=max(1, wait)",
        "tests/api/workspaces/test_export_access.py::test_a_refused_export_never_asks_to_wait_longer_than_a_minute",
    ),
    defect(
        "a deleted source that is restored loses its unresolved incidents",
        "inbox/flow/timers/source_deletion.py",
        "if origin is None or not origin.source_is_deleted or origin.is_deleted:",
        "if origin is None or origin.is_deleted:",
        "tests/flow/timers/test_source_deletion.py",
        "tests/api/routing/test_restored.py",
    ),
)
