"""Who may do what: a table beside the policy, kept by hand. The tests of the whole policy expect it, not the product's.

Its first state was taken from the policy and reviewed.

Each line is an operation, the credential, and where they are asked for: the least role with the place that names its
workspace, `instanceAdmin`, and the step-up. Whoever adds an operation writes its line here from the specification.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TABLE = """
account.close                   user reauth
admin.edit_user                 user instanceAdmin recent
admin.purge                     user instanceAdmin recent
admin.system                    user instanceAdmin
admin.users                     user instanceAdmin
admin.workspaces                user instanceAdmin
audit.list                      user admin of path
audit.list_instance             user instanceAdmin
audit.list_own                  session
auth.login                      none
auth.login_options              none
auth.login_second_factor        none
auth.logout                     session
auth.passkey                    none
auth.passkey_options            none
auth.step_up                    session
auth.step_up_options            session
deliveries.list                 user viewer of caller
deliveries.read                 user viewer of record
deliveries.replay               user admin of record
destinations.create             user admin of body
destinations.edit               user admin of record
destinations.list               user viewer of caller
destinations.read               user viewer of record
destinations.remove             user admin of record
destinations.replay             user admin of record
destinations.test               user admin of record
devices.edit                    user
devices.list                    user
devices.pair                    none
devices.read_pairing            session
devices.refresh                 none
devices.remove                  user
devices.start_pairing           session
document.read                   none
events.create                   sourceKey
events.explain                  user viewer of record
events.list                     user viewer of caller
events.read                     user viewer of record
export.read                     user owner of path reauth
factors.add_passkey             session recent
factors.begin_totp              session recent
factors.confirm_totp            session recent
factors.passkey_options         session recent
factors.read                    session
factors.remove_passkey          session recent
factors.remove_totp             session recent
factors.replace_recovery_codes  session recent
front.page                      none
front.setup                     none
front.setup_script              none
health.healthz                  none
health.readyz                   none
incidents.acknowledge           user member of record
incidents.bulk                  user member of caller
incidents.counts                user viewer of caller
incidents.deliveries            user viewer of record
incidents.edit                  user member of record
incidents.events                user viewer of record
incidents.explain               user viewer of record
incidents.list                  user viewer of caller
incidents.note                  user member of record
incidents.read                  user viewer of record
incidents.reopen                user member of record
incidents.resolve               user member of record
incidents.similar               user viewer of record
incidents.snooze                user member of record
incidents.timeline              user viewer of record
incidents.unacknowledge         user member of record
incidents.undo                  user member of caller
incidents.unsnooze              user member of record
info.read                       none
invites.accept                  none
invites.create                  user owner of path recent
invites.list                    user viewer of path
invites.preview                 none
invites.withdraw                user owner of path recent
keys.create                     user admin of record
keys.list                       user admin of caller
keys.of_source                  user admin of record
keys.revoke                     user admin of record
keys.rotate                     user admin of record
links.change_email              none
links.request_email_change      user recent
links.request_password_reset    none
links.reset                     none
links.sign_up                   none
links.verify_email              none
me.change_password              session recent
me.edit                         user
me.end_other_sessions           session
me.end_session                  session
me.read                         user
me.sessions                     session
members.change                  user owner of path recent
members.leave                   user viewer of path
members.list                    user viewer of path
members.remove                  user owner of path recent
metrics.read                    none
oidc.callback                   none
oidc.providers                  none
oidc.start                      none
oidc.unlink                     session recent
previews.create                 user admin of body
previews.create_of_event        user admin of body
previews.read                   user admin of record
previews.remove                 user admin of record
problems.list                   none
problems.read                   none
profiles.create                 user admin of body
profiles.edit                   user admin of record
profiles.list                   user viewer of caller
profiles.read                   user viewer of record
profiles.remove                 user admin of record
profiles.simulate               user viewer of record
profiles.simulate_draft         user viewer of body
rules.create                    user admin of body
rules.edit                      user admin of record
rules.list                      user viewer of caller
rules.parse                     user
rules.read                      user viewer of record
rules.remove                    user admin of record
rules.reorder                   user admin of body
setup.create                    none
silences.create                 user member of body
silences.edit                   user member of record
silences.end                    user member of record
silences.extend                 user member of record
silences.list                   user viewer of caller
silences.preview                user member of body
silences.read                   user viewer of record
silences.remove                 user member of record
sources.create                  user admin of body
sources.edit                    user admin of record
sources.list                    user viewer of caller
sources.read                    user viewer of record
sources.remove                  user admin of record
statistics.read                 user viewer of caller
stream.read                     user of caller
views.create                    user viewer of body
views.edit                      user viewer of record
views.list                      user viewer of caller
views.read                      user viewer of record
views.remove                    user viewer of record
workspaces.change               user admin of path
workspaces.change_default_route user admin of path
workspaces.create               user
workspaces.delete               user owner of path reauth
workspaces.list                 user of caller
workspaces.read                 user viewer of path
workspaces.read_default_route   user viewer of path
"""

CREDENTIALS = {"none", "session", "device", "user", "sourceKey", "heartbeatToken", "metricsToken"}
ROLES = {"viewer", "member", "admin", "owner"}
STEP_UPS = {"recent", "reauth"}


@dataclass(frozen=True)
class Expected:
    """One line of the table; the fields are called as in the policy."""

    credential: str
    role: str | None = None
    step_up: str | None = None
    found_by: str = "none"
    instance_admin: bool = False


def _read(words: list[str]) -> Expected:
    credential, rest, found_by = words[0], words[1:], "none"
    if "of" in rest:
        place = rest.index("of")
        found_by, rest = rest[place + 1], rest[:place] + rest[place + 2 :]
    role = next((word for word in rest if word in ROLES), None)
    step_up = next((word for word in rest if word in STEP_UPS), None)
    assert credential in CREDENTIALS and set(rest) <= {role, step_up, "instanceAdmin"}, words
    return Expected(credential, role, step_up, found_by, "instanceAdmin" in rest)


EXPECTED: Mapping[str, Expected] = {
    name: _read(words) for name, *words in (line.split() for line in TABLE.strip().splitlines())
}
