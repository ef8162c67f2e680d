"""What every act leaves in the audit log, kept by hand: for each operation that writes, the entries it makes.

Its first state was taken from what was observed, and reviewed.

Each line is an operation and its entries in order; `-` is none, where the act is recorded elsewhere (the timeline of an
incident), concerns nobody else (a saved view), or changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

TABLE = """
account.close                   workspace.closed session.ended session.ended account.closed
admin.edit_user                 user.changed
admin.purge                     instance.purged
auth.login                      session.started
auth.login_options              -
auth.login_second_factor        session.refused
auth.logout                     session.ended
auth.passkey                    session.refused
auth.passkey_options            -
auth.step_up                    session.proved
auth.step_up_options            -
deliveries.replay               delivery.replayed
destinations.create             destination.created
destinations.edit               destination.changed
destinations.remove             destination.deleted
destinations.replay             destination.replayed
destinations.test               destination.tested
devices.edit                    device.renamed
devices.pair                    device.paired
devices.refresh                 -
devices.remove                  device.revoked
devices.start_pairing           -
events.create                   -
factors.add_passkey             factor.added
factors.begin_totp              -
factors.confirm_totp            factor.added
factors.passkey_options         -
factors.remove_passkey          factor.removed
factors.remove_totp             factor.removed
factors.replace_recovery_codes  factor.recovery_codes_replaced
incidents.acknowledge           -
incidents.bulk                  -
incidents.edit                  -
incidents.note                  -
incidents.reopen                -
incidents.resolve               -
incidents.snooze                -
incidents.unacknowledge         -
incidents.undo                  -
incidents.unsnooze              -
invites.accept                  account.created member.joined invite.accepted session.started
invites.create                  invite.created
invites.preview                 -
invites.withdraw                invite.withdrawn
keys.create                     key.created
keys.revoke                     key.revoked
keys.rotate                     key.rotated
links.change_email              email.changed
links.request_email_change      email.change_requested
links.request_password_reset    -
links.reset                     session.ended password.reset
links.sign_up                   -
links.verify_email              account.created
me.change_password              session.ended password.changed
me.edit                         account.changed
me.end_other_sessions           session.ended
me.end_session                  session.ended
members.change                  member.role_changed
members.leave                   member.left
members.remove                  member.removed
oidc.start                      -
oidc.unlink                     identity.unlinked
previews.create                 -
previews.create_of_event        -
previews.remove                 -
profiles.create                 routing_profile.created
profiles.edit                   routing_profile.changed
profiles.remove                 routing_profile.deleted
profiles.simulate               -
profiles.simulate_draft         -
rules.create                    rule.created
rules.edit                      rule.changed
rules.parse                     -
rules.remove                    rule.deleted
rules.reorder                   rule.reordered
setup.create                    -
silences.create                 silence.created
silences.edit                   silence.changed
silences.end                    silence.ended
silences.extend                 silence.extended
silences.preview                -
silences.remove                 silence.deleted
sources.create                  source.created
sources.edit                    source.changed
sources.remove                  source.deleted
views.create                    -
views.edit                      -
views.remove                    -
workspaces.change               workspace.changed
workspaces.change_default_route workspace.default_route_changed
workspaces.create               workspace.created
workspaces.delete               workspace.closed
"""

ENTRIES: Mapping[str, list[str]] = {
    name: [entry for entry in entries if entry != "-"]
    for name, *entries in (line.split() for line in TABLE.strip().splitlines())
}
