"""Who may do what with schedules and forwardings; a part of the table of `expectations`."""

from __future__ import annotations

ON_CALL = """\
# specification 23.1, 23.7, 23.9: administrators change schedules; members cover for each other and forward themselves
schedules.list                  user viewer of caller
schedules.read                  user viewer of record
schedules.create                user admin of body
schedules.edit                  user admin of record
schedules.remove                user admin of record
schedules.restore               user admin of record
schedule_previews.create        user admin of body
schedule_versions.list          user viewer of record
schedule_versions.revert        user admin of record
shifts.list                     user viewer of record
shifts.on_call_now              user viewer of caller
person_shifts.list              user viewer of caller
on_call_log.list                user viewer of record
on_call_statistics.read         user viewer of caller
on_call_statistics.export       user viewer of caller
overrides.list                  user viewer of record
overrides.create                user member of record
overrides.edit                  user member of record
overrides.remove                user member of record
forwardings.list                user viewer of caller
forwardings.create              user member of body
forwardings.remove              user member of record
# specification 23.14: everybody has feeds of their own; who has the address of one reads it
calendar_feeds.list             user viewer of caller
calendar_feeds.create           user viewer of body
calendar_feeds.remove           user viewer of record
calendars.read                  none
"""
