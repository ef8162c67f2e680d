"""Who may send events, in the lines of `expectations`."""

SENDERS = """\
# specification 11.1, 19.5, 19.9 to 19.13: the source key sends events, also as webhooks and in other formats, or a tool signs
events.create                   sourceKey
hooks.receive                   sourceKey
hooks.receive_by_put            sourceKey
hooks.receive_signed            signature
hooks.receive_signed_by_put     signature
pagerduty.enqueue               sourceKey
pagerduty.enqueue_change        sourceKey
prometheus.push                 sourceKey
cloudevents.receive             sourceKey
opsgenie.create                 sourceKey
opsgenie.list_alerts            sourceKey
opsgenie.read_alert             sourceKey
opsgenie.act                    sourceKey
opsgenie.change                 sourceKey
opsgenie.request_status         sourceKey
opsgenie.ping                   sourceKey
opsgenie.ping_by_post           sourceKey
# specification 19.1: the alias token sends messages; version and health are public
legacy.push                     aliasToken
legacy.push_at_root             aliasToken
legacy.version                  none
legacy.version_at_root          none
legacy.health                   none
legacy.health_at_root           none
"""
