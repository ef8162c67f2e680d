"""What every act leaves in the audit log, written by hand from the sections that each group names.

A line is an operation and the entries of one success, in order; `-` is none, where the act is recorded elsewhere (the
timeline of an incident), concerns nobody else (a saved view), or changes nothing. `REFUSALS` are the entries of one refusal.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.api.policy.expectation_lines import lines

TABLE = """
# specification 11.2, 11.3, 11.5: sign-in and step-up; the sessions that an act ends
auth.login                      session.started
auth.check_password             -
auth.login_second_factor        session.started
auth.login_options              -
auth.passkey                    session.started
auth.passkey_options            -
auth.logout                     session.ended
auth.step_up                    session.reauthenticated
auth.step_up_options            -
oidc.start                      -
oidc.callback                   session.started
oidc.unlink                     identity.unlinked
me.edit                         account.changed
me.edit_preferences             -
me.replace_notification_rules   notification_rules.changed
contact_methods.create          contact_method.added
contact_methods.send_code       -
contact_methods.confirm         contact_method.confirmed
contact_methods.remove          contact_method.removed
me.change_password              session.ended password.changed
me.end_session                  session.ended
me.end_other_sessions           session.ended
# specification 11.11: the trust in a browser
trusted_browsers.remove         browser.untrusted
trusted_browsers.remove_all     browser.untrusted
# specification 13.1: the first account and its workspace; whoever made them is signed in
setup.create                    account.created workspace.created session.started
# specification 11.8: account links; what anybody may ask for says nothing of an account
links.request_password_reset    -
links.reset                     session.ended password.reset
links.request_email_change      email.change_requested
links.change_email              email.changed
links.sign_up                   -
links.verify_email              account.created
# specification 11.4: credentials of people; one that is begun is none yet
factors.begin_totp              -
factors.confirm_totp            factor.added
factors.remove_totp             factor.removed
factors.passkey_options         -
factors.add_passkey             factor.added
factors.remove_passkey          factor.removed
factors.replace_recovery_codes  factor.recovery_codes_replaced
# specification 11.10: a pairing that is begun, or a pair of tokens that follows another, is no new credential
devices.start_pairing           -
devices.preview_pairing         -
devices.pair                    device.paired
devices.refresh                 -
devices.edit                    device.renamed
devices.remove                  device.revoked
# specification 9.13: a test reaches the own phone alone
push.subscribe                  device.push_changed
push.unsubscribe                -
push.test                       -
# specification 12.5, 12.6: closings and the export are written to the audit log
account.close                   workspace.closed session.ended session.ended account.closed
workspaces.delete               workspace.closed
export.read                     workspace.exported
# specification 12.7: an export of the audit log
audit.export                    audit_log.exported
# specification 13.3: what administrators of the instance do
admin.edit_user                 user.changed
admin.purge                     instance.purged
# specification 12.3, 12.4: memberships; who has no account makes one, joins and is signed in
members.change                  member.role_changed
members.leave                   member.left
members.remove                  member.removed
invites.create                  invite.created
invites.withdraw                invite.withdrawn
invites.preview                 -
invites.accept                  account.created member.joined invite.accepted session.started
# specification 12.1: settings
workspaces.create               workspace.created
workspaces.change               workspace.changed
walls.create_link               workspace.wall_link_created
walls.remove_link               workspace.wall_link_removed
walls.read                      -
workspaces.change_default_route workspace.default_route_changed
workspaces.preview_quiet_hours  -
# specification 5.1, 5.2, 5.6: credentials of senders, and their sources
sources.create                  source.created
sources.edit                    source.changed
sources.remove                  source.deleted
sources.restore                 source.restored
sources.send_test_event         source.tested
keys.create                     key.created
keys.rotate                     key.rotated
keys.revoke                     key.revoked
# specification 18.9: heartbeat monitors, their tokens and badges; a ping is written to the log of pings
heartbeat_monitors.create       monitor.created
heartbeat_monitors.edit         monitor.changed
heartbeat_monitors.remove       monitor.deleted
heartbeat_monitors.pause        monitor.paused
heartbeat_monitors.resume       monitor.resumed
heartbeat_monitors.ping         monitor.pinged
heartbeat_monitors.rotate       monitor.token_rotated
heartbeat_monitors.create_badge monitor.badge_created
heartbeat_monitors.remove_badge monitor.badge_removed
heartbeat_monitors.preview_schedule -
heartbeats.ping_with_text        -
heartbeats.ping_handle_with_text -
heartbeats.ping_signal_with_text -
heartbeats.ping_slug_with_text  -
push_pings.ping_by_post         -
push_pings.ping_by_put          -
push_pings.ping_by_patch        -
push_pings.ping_by_delete       -
# specification 20.5: the first check-in of a watcher creates it
watchers.check_in               watcher.created
watchers.edit                   watcher.changed
watchers.remove                 watcher.deleted
# specification 22: an import records each record that it creates; its preview has no effect
imports.preview                 -
imports.create                  source.created monitor.created
# specification 6.2, 6.7: rules and profiles; previews and simulations have no effect
rules.create                    rule.created
rules.edit                      rule.changed
rules.remove                    rule.deleted
rules.reorder                   rule.reordered
rules.parse                     -
previews.create                 -
previews.create_of_event        -
previews.remove                 -
mappings.preview                -
profiles.create                 routing_profile.created
profiles.edit                   routing_profile.changed
profiles.remove                 routing_profile.deleted
profiles.simulate               -
profiles.simulate_draft         -
# specification 6.11: a version that is saved again is a change
versions.revert_rule            rule.changed
versions.restore_rule           rule.restored
versions.revert_profile         routing_profile.changed
versions.restore_profile        routing_profile.restored
# specification 9.3, 9.10: destinations; the replay of one delivery
destinations.create             destination.created
destinations.edit               destination.changed
destinations.remove             destination.deleted
destinations.restore            destination.restored
destinations.test               destination.tested
destinations.test_unsaved       destination.tested
destinations.preview_text       -
destinations.replay             destination.replayed
destinations.retry              destination.retried
# specification 9.15: whoever holds an action link acts in the name of its destination
action_links.accept             destination.link_used
# specification 9.20: whoever has a mail unsubscribes; the destination is disabled
unsubscribing.accept            destination.link_used destination.changed
# specification 9.21: a report changes a delivery, which no person does
status_callbacks.receive        -
phone_answers.key               -
phone_answers.text_message      -
# specification 9.18: a member acts through a chat; their link is of the workspace
interactions.receive            -
app_interactions.slack          -
app_interactions.discord        -
chat_account_pages.link         chat_account.linked
chat_accounts.remove            chat_account.unlinked
deliveries.replay               delivery.replayed
# specification 9.12: the built-in receiver keeps requests, and nobody acts
built_in_receiver.receive       -
# specification 8.1, decision 0015: a silence decides who is notified, as a rule does
silences.create                 silence.created
silences.edit                   silence.changed
silences.extend                 silence.extended
silences.end                    silence.ended
silences.remove                 silence.deleted
silences.restore                silence.restored
silences.preview                -
# specification 23: who is on call decides who is paged
schedules.create                schedule.created
schedules.edit                  schedule.changed
schedules.remove                schedule.deleted
schedules.restore               schedule.restored
schedule_previews.create        -
schedule_versions.revert        schedule.changed
overrides.create                schedule.override_created
overrides.edit                  schedule.override_changed
overrides.remove                schedule.override_removed
forwardings.create              member.forwarded
forwardings.remove              member.forwarding_ended
calendar_feeds.create           member.calendar_created
calendar_feeds.remove           member.calendar_removed
# specification 7.6, 7.10: the timeline of the incident is their record; a view changes nothing of anybody else
events.create                   -
hooks.receive                   -
hooks.receive_by_put            -
hooks.receive_signed            -
hooks.receive_signed_by_put     -
prometheus.push                 -
cloudevents.receive             -
opsgenie.create                 -
opsgenie.act                    -
opsgenie.change                 -
opsgenie.ping_by_post           -
pagerduty.enqueue               -
pagerduty.enqueue_change        -
legacy.push                     -
legacy.push_at_root             -
incidents.edit                  -
incidents.acknowledge           -
incidents.unacknowledge         -
incidents.snooze                -
incidents.unsnooze              -
incidents.resolve               -
incidents.reopen                -
incidents.note                  -
incidents.notify                -
incidents.create                source.created
incidents.page                  -
incidents.escalate              -
incidents.take                  -
incidents.bulk                  -
incidents.undo                  -
views.create                    -
views.edit                      -
views.remove                    -
views.restore                   -
"""

REFUSED = """
# decision 0033: whoever cannot prove who they are leaves an entry
auth.login                      session.refused
auth.login_second_factor        session.refused
auth.passkey                    session.refused
auth.step_up                    session.refused
devices.preview_pairing         session.refused
devices.pair                    session.refused
"""


def _read(table: str) -> Mapping[str, list[str]]:
    found = {name: [entry for entry in entries if entry != "-"] for name, *entries in lines(table)}
    assert len(found) == len(lines(table)), "an operation has two lines"
    return found


ENTRIES, REFUSALS = _read(TABLE), _read(REFUSED)
