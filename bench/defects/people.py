"""Defects of the policy, of sign-in and of the audit log."""

from __future__ import annotations

from bench.defects.defect import defect

AUDIT = "tests/api/audit/test_audit_table.py"
MATRIX = "tests/api/policy/test_policy_matrix.py"

SIGNING_IN = ("tests/api/sign_in/test_auth.py", "tests/api/sign_in/test_auth_limits.py")

DEFECTS = (
    defect(
        "replay of one delivery leaves no audit entry",
        "inbox/services/deliveries/replays.py",
        'audit.record("delivery.replayed", target=about, now=now, workspace_id=delivery.workspace_id, details=as_new)',
        "pass",
        f"{AUDIT}::test_an_act_writes_its_audit_entries[deliveries.replay]",
    ),
    defect(
        "a member may delete sources",
        "inbox/api/senders/sources.py",
        'endpoint="remove")\n@EndpointPolicy(USER, ADMIN, ',
        'endpoint="remove")\n@EndpointPolicy(USER, MEMBER, ',
        f"{MATRIX}::test_everybody_gets_the_answer_that_is_expected[sources.remove]",
    ),
    defect(
        "invitations take no step-up",
        "inbox/api/workspaces/invites.py",
        'endpoint="create")\n@EndpointPolicy(USER, OWNER, RECENT, ',
        'endpoint="create")\n@EndpointPolicy(USER, OWNER, ',
        f"{MATRIX}::test_everybody_gets_the_answer_that_is_expected[invites.create]",
    ),
    defect(
        "a session never expires",
        "inbox/models/people/session_lookup.py",
        "s.revoked_at IS NULL AND s.last_seen_at > %(seen_after)s",
        "s.revoked_at IS NULL AND s.last_seen_at > %(seen_after)s - interval '99 years'",
        *SIGNING_IN,
        "tests/api/policy/test_authorization.py",
    ),
    defect(
        "a revoked session goes on",
        "inbox/models/people/session_lookup.py",
        "AND s.revoked_at IS NULL AND s.last_seen_at",
        "AND s.last_seen_at",
        *SIGNING_IN,
        "tests/api/people/test_me.py",
    ),
    defect(
        "a disabled person stays signed in",
        "inbox/models/people/session_lookup.py",
        "AND u.disabled_at IS NULL AND u.deleted_at IS NULL",
        "AND u.deleted_at IS NULL",
        *SIGNING_IN,
        "tests/api/policy/test_authorization.py",
    ),
    defect(
        "a code of an app is good twice",
        "inbox/identity/totp.py",
        "and step > last_step and matching is None",
        "and matching is None",
        "tests/identity/test_codes.py",
    ),
    defect(
        "the nonce of an ID token is not compared",
        "inbox/identity/id_tokens.py",
        '        nonce={"essential": True, "value": expected.nonce},\n',
        "",
        "tests/identity/test_id_tokens.py",
    ),
    defect(
        "an old ID token is taken",
        "inbox/identity/id_tokens.py",
        '"iat": claims["iat"] >= (now - MAX_AGE - LEEWAY).timestamp(),',
        '"iat": True,',
        "tests/identity/test_id_tokens.py",
    ),
    defect(
        "an ID token for somebody else is taken",
        "inbox/identity/id_tokens.py",
        '"azp": party == expected.client_id or (party is None and len(audience) == 1),',
        '"azp": True,',
        "tests/identity/test_id_tokens.py",
    ),
    defect(
        "a proof of who one is never grows old",
        "inbox/api/http/policy/checks.py",
        "    if datetime.now(UTC) - caller().proved_at > WINDOWS[step_up]:\n",
        "    if datetime.now(UTC) - caller().proved_at > 100 * WINDOWS[step_up]:\n",
        "tests/api/sign_in/test_step_up.py",
        "tests/api/policy/test_authorization_roles.py",
        "tests/api/policy/test_policy_matrix.py::test_everybody_gets_the_answer_that_is_expected[invites.create]",
    ),
    defect(
        "exports are for administrators, too",
        "inbox/api/workspaces/export.py",
        "@EndpointPolicy(USER, OWNER, step_up=REAUTH, ",
        "@EndpointPolicy(USER, ADMIN, step_up=REAUTH, ",
        f"{MATRIX}::test_everybody_gets_the_answer_that_is_expected[export.read]",
    ),
    defect(
        "requests from other sites are accepted",
        "inbox/api/http/authorization.py",
        "    if site is None and origin is not None and not (same_origin(",
        "    if site is None and origin is None and not (same_origin(",
        "tests/api/policy/test_authorization.py",
    ),
    defect(
        "a stream outlives its session",
        "inbox/live/permissions.py",
        "WHERE s.id = ANY(%(sessions)s::uuid[]) AND s.revoked_at IS NULL",
        "WHERE s.id = ANY(%(sessions)s::uuid[])",
        "tests/live/test_permissions.py",
    ),
    defect(
        "a stream outlives a membership",
        "inbox/live/permissions.py",
        "LEFT JOIN workspaces w ON w.id = m.workspace_id AND w.deleted_at IS NULL",
        "LEFT JOIN workspaces w ON w.deleted_at IS NULL",
        "tests/live/test_permissions.py",
    ),
    defect(
        "a person reads what happened to everybody's account",
        "inbox/models/records/audit_search.py",
        "return of_instance(args).where(AuditEntry.user_id == user_id)",
        "return of_instance(args)",
        "tests/api/audit/test_audit_readers.py",
    ),
    defect(
        "a person reads the address of an administrator who acted on the account",
        "inbox/api/workspaces/audit.py",
        '        entry.ip = ""\n',
        "        pass\n",
        "tests/api/audit/test_audit_readers.py::test_the_address_of_another_actor_is_left_out",
    ),
    defect(
        "a deletion keeps nothing of what it deletes",
        "inbox/services/records/audit.py",
        '{"record": {_camel(name): _json_value(value) for name, value in record.items()}}',
        '{"record": {}}',
        "tests/api/audit/test_audit_deletions.py",
    ),
    defect(
        "who lacks a second factor that is required cannot leave",
        "inbox/api/workspaces/members.py",
        'workspace_from="path", mfa=False)',
        'workspace_from="path")',
        "tests/api/sign_in/test_required_factors.py::test_a_member_without_a_second_factor_sees_the_workspace_name_and_can_leave",
    ),
    defect(
        "a cookie of one path has no prefix under https",
        "inbox/domain/people/cookies.py",
        '("__Host-" if cookie_path(base_url, path) == "/" else "__Secure-") if',
        '("__Host-" if cookie_path(base_url, path) == "/" else "") if',
        "tests/api/sign_in/test_oidc_hostile.py",
    ),
    defect(
        "cookies below a path are sent to the whole host",
        "inbox/domain/people/cookies.py",
        'return (path_of(base_url) + path).rstrip("/") or "/"',
        "return path",
        "tests/domain/people/test_cookies.py",
    ),
    defect(
        "links of pages lead past the path of the base URL",
        "inbox/api/http/base_path.py",
        "return path_of(settings.current().base_url) + path",
        "return path",
        "tests/api/http/test_base_path.py",
    ),
    defect(
        "instances on one host share a cookie",
        "inbox/domain/people/cookies.py",
        'return f"{prefix}{name}" if is_usual else',
        'return f"{prefix}{name}" if is_usual or parts.port else',
        *SIGNING_IN,
    ),
)
