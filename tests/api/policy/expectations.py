"""Who may do what: a table beside the policy, written by hand from the sections that each group names.

A line: an operation, its credential, the least role, the place of the workspace (`of caller`: all), the step-up, what it `heeds` if it is sent.
"""

from __future__ import annotations

from tests.api.policy.expectation_lines import table
from tests.api.policy.incident_expectations import INCIDENTS
from tests.api.policy.oncall_expectations import ON_CALL
from tests.api.policy.sender_expectations import SENDERS

TABLE = """
# specification 1.7, 13, 15.1: public, and outside of /v1; the metrics token, or loopback; the set-up token is in the body
document.read                   none
info.read                       none
health.healthz                  none
health.readyz                   none
front.page                      none
front.setup                     none
front.setup_script              none
dashboard.page                  none
dashboard.asset                 none
dashboard.root_file             none
dashboard.change_password       none
dashboard.security              none
problems.list                   none
problems.read                   none
destination_pages.read          none
guide_pages.read                none
metrics.read                    none heeds metricsToken
setup.create                    none
# specification 13.3: instance administrators; others' accounts, and what deletes, take a step-up
admin.users                     user instanceAdmin
admin.workspaces                user instanceAdmin
admin.system                    user instanceAdmin
admin.edit_user                 user instanceAdmin recent
admin.purge                     user instanceAdmin recent
# specification 12.7: administrators read the log of their workspace; entries on accounts, in a session
audit.list                      user admin of path
audit.export                    user admin of path
audit.actions                   user
audit.list_own                  session
audit.list_instance             user instanceAdmin
# specification 11.2, 11.3, 11.5: signing in; the cookie's session ends, or its step-up is renewed
auth.login                      none
auth.check_password             none
auth.login_second_factor        none
auth.login_options              none
auth.passkey                    none
auth.passkey_options            none
auth.logout                     session
auth.step_up                    session
auth.step_up_options            session
# specification 11.4, 11.7: providers, start and callback are public; a session that is there is stepped up or linked; no device has a step-up
oidc.providers                  none
oidc.start                      none heeds session
oidc.callback                   none heeds session
factors.read                    session
factors.begin_totp              user recent
factors.confirm_totp            user recent
factors.remove_totp             user recent
factors.passkey_options         user recent
factors.add_passkey             user recent
factors.remove_passkey          user recent
factors.replace_recovery_codes  user recent
oidc.unlink                     user recent
# specification 11.2, 11.9, 11.11: one's own account; sessions and trusted browsers are read and ended in a session
me.read                         user
start.read                      user of caller
me.edit                         user
me.read_preferences             user
me.edit_preferences             user
# specification 23.11: how one is paged
me.read_notification_rules      user
me.replace_notification_rules   user
contact_methods.list            user
contact_methods.providers       user
contact_methods.create          user
contact_methods.send_code       user
contact_methods.confirm         user
contact_methods.remove          user
# specification 11.2, 11.6: the password and the sessions
me.change_password              user recent
me.sessions                     session
me.end_session                  session
me.end_other_sessions           session
trusted_browsers.list           session
trusted_browsers.remove         session
trusted_browsers.remove_all     session
# specification 11.8: the token of an account link is in the body
links.request_password_reset    none
links.reset                     none
links.change_email              none
links.sign_up                   none
links.verify_email              none
links.request_email_change      user recent
# specification 9.13, 11.10: paired devices and push
devices.start_pairing           session
devices.read_pairing            session
devices.preview_pairing         none
devices.pair                    none
devices.refresh                 none
devices.list                    user
devices.edit                    user
devices.remove                  user
push.key                        user
push.subscribe                  device
push.unsubscribe                device
push.test                       user
# specification 11.5, 12.1, 12.2, 12.5, 12.6: closing and exports take a re-authentication; settings are for administrators
account.close                   user reauth
account.read_blockers           user
workspaces.delete               user owner of path reauth
export.read                     user owner of path reauth
workspaces.list                 user of caller
workspaces.create               user
workspaces.read                 user viewer of path
workspaces.change               user admin of path
workspaces.read_default_route   user viewer of path
workspaces.change_default_route user admin of path
workspaces.preview_quiet_hours  user viewer of path
# specification 12.3, 12.4: every member reads members and invitations, owners change them; who leaves, who accepts
members.list                    user viewer of path
members.change                  user owner of path recent
members.remove                  user owner of path recent
members.leave                   user viewer of path withoutFactor
invites.list                    user viewer of path
invites.create                  user owner of path recent
invites.withdraw                user owner of path recent
invites.preview                 none
invites.accept                  none heeds user
# specification 12.11: administrators make the link to the wall display, and whoever has it reads the display
walls.read_link                 user viewer of path
walls.create_link               user admin of path
walls.remove_link               user admin of path
walls.read                      none
kept_records.list               user viewer of path
# specification 19.7, 22: everybody reads the kinds of senders and of imports; viewers read the texts; administrators import
source_kinds.list               user
source_kinds.snippets           user viewer of record
imports.list_kinds              user
imports.preview                 user admin of body
imports.create                  user admin of body
# specification 5.4, 5.6, 12.2: administrators change sources, members test them; keys are seen by administrators only
sources.list                    user viewer of caller
sources.read                    user viewer of record
sources.create                  user admin of body
sources.edit                    user admin of record
sources.remove                  user admin of record
sources.restore                 user admin of record
sources.send_test_event         user member of record
sources.read_sample             user admin of record
mappings.preview                user admin of record
keys.list                       user admin of caller
keys.of_source                  user admin of record
keys.create                     user admin of record
keys.rotate                     user admin of record
keys.revoke                     user admin of record
# specification 18.1, 18.5, 12.2: administrators change heartbeat monitors, members ping in place of a job; a preview of a schedule is of no workspace
heartbeat_monitors.list         user viewer of caller
heartbeat_monitors.read         user viewer of record
heartbeat_monitors.pings        user viewer of record
heartbeat_monitors.flips        user viewer of record
heartbeat_monitors.create       user admin of body
heartbeat_monitors.edit         user admin of record
heartbeat_monitors.remove       user admin of record
heartbeat_monitors.pause        user admin of record
heartbeat_monitors.resume       user admin of record
heartbeat_monitors.ping         user member of record
heartbeat_monitors.rotate       user admin of record
heartbeat_monitors.create_badge user admin of record
heartbeat_monitors.remove_badge user admin of record
heartbeat_monitors.preview_schedule user
# specification 18.5, 18.8, 18.10, 18.11: a token pings its monitor, a key those of its source; who has the address of a badge reads it
heartbeats.ping                  heartbeatToken
heartbeats.ping_with_text        heartbeatToken
heartbeats.ping_handle           heartbeatToken
heartbeats.ping_handle_with_text heartbeatToken
heartbeats.ping_signal           heartbeatToken
heartbeats.ping_signal_with_text heartbeatToken
heartbeats.ping_slug            pingKey
heartbeats.ping_slug_with_text  pingKey
heartbeats.badge                none
push_pings.ping                 heartbeatToken
push_pings.ping_by_post         heartbeatToken
push_pings.ping_by_put          heartbeatToken
push_pings.ping_by_patch        heartbeatToken
push_pings.ping_by_delete       heartbeatToken
# specification 20.1, 20.2, 12.2: a watcher checks in with the key of its source, administrators change watchers
watchers.check_in               sourceKey
watchers.list                   user viewer of caller
agent_file.read                 none
agent_file.checksum             none
watchers.read                   user viewer of record
watchers.edit                   user admin of record
watchers.remove                 user admin of record
# specification 6.9, 12.2: administrators change rules; a preview tries them, and `parse` reads text alone
rules.list                      user viewer of caller
rules.read                      user viewer of record
rules.create                    user admin of body
rules.edit                      user admin of record
rules.remove                    user admin of record
rules.reorder                   user admin of body
rules.vocabulary                user
rules.suggestions               user viewer of caller
rules.parse                     user
previews.create                 user admin of body
previews.create_of_event        user admin of body
previews.read                   user admin of record
previews.remove                 user admin of record
# specification 6.10, 6.11, 12.2: administrators change profiles, and restore versions; a simulation changes nothing
profiles.list                   user viewer of caller
profiles.read                   user viewer of record
profiles.create                 user admin of body
profiles.edit                   user admin of record
profiles.remove                 user admin of record
profiles.simulate               user viewer of record
profiles.simulate_draft         user viewer of body
versions.list_of_rule           user viewer of record
versions.revert_rule            user admin of record
versions.restore_rule           user admin of record
versions.list_of_profile        user viewer of record
versions.revert_profile         user admin of record
versions.restore_profile        user admin of record
# specification 9.12 to 9.21, 12.2: administrators change destinations and send again; links have tokens, chats sign
destination_kinds.list          user
action_links.page               none
action_links.accept             none
unsubscribing.page              none
unsubscribing.accept            none
interactions.receive            none
app_interactions.slack          none
app_interactions.discord        none
status_callbacks.receive        none
phone_answers.key               none
phone_answers.text_message      none
chat_account_pages.page         none heeds session
chat_account_pages.link         session viewer of record
chat_accounts.list              user viewer of caller
chat_accounts.remove            user viewer of record
destinations.list               user viewer of caller
destinations.read               user viewer of record
destinations.create             user admin of body
destinations.edit               user admin of record
destinations.remove             user admin of record
destinations.restore            user admin of record
destinations.test               user admin of record
destinations.test_unsaved       user admin of body
destinations.preview_text       user admin of body
destinations.replay             user admin of record
destinations.retry              user member of record
built_in_receiver.receive       none
built_in_receiver.read          user admin of path
deliveries.list                 user viewer of caller
deliveries.read                 user viewer of record
deliveries.replay               user admin of record
# specification 7.10: saved views are a way of reading
views.list                      user viewer of caller
views.read                      user viewer of record
views.create                    user viewer of body
views.edit                      user viewer of record
views.remove                    user viewer of record
views.restore                   user viewer of record
"""
EXPECTED = table(TABLE + INCIDENTS + ON_CALL + SENDERS)
