"""Each kind with its settings and its stand-in, twice where it has two forms of settings."""

from __future__ import annotations

from tests.destinations.kinds import alert_services as alerts
from tests.destinations.kinds import card_services as cards
from tests.destinations.kinds import chat_services as chats
from tests.destinations.kinds.stand_in import Case

_ALL = (
    Case("slack_webhook", "slack", {"url": chats.SLACK_URL}, chats.SlackWebhook),
    Case("slack_bot", "slack", {"token": chats.SLACK_TOKEN, "channel": chats.SLACK_CHANNEL}, chats.SlackBot),
    Case(
        "discord",
        "discord",
        {"url": f"https://discord.com{chats.DISCORD_PATH}", "threadId": "1180000000000000000"},
        chats.Discord,
    ),
    Case(
        "telegram",
        "telegram",
        {"token": chats.TELEGRAM_TOKEN, "chatId": str(chats.Telegram.group), "topicId": 7},
        chats.Telegram,
    ),
    Case(
        "mattermost_webhook",
        "mattermost",
        {"url": "https://chat.example.org/hooks/secretofmattermost"},
        chats.MattermostWebhook,
    ),
    Case(
        "mattermost_bot",
        "mattermost",
        {
            "server": "https://chat.example.org/",
            "token": chats.MATTERMOST_TOKEN,
            "channelId": chats.MATTERMOST_CHANNEL,
        },
        chats.MattermostBot,
    ),
    Case("teams", "teams", {"url": cards.Teams.origin + cards.TEAMS_PATH}, cards.Teams),
    Case("google_chat", "google_chat", {"url": cards.GoogleChat.origin + cards.GOOGLE_PATH}, cards.GoogleChat),
    Case(
        "matrix",
        "matrix",
        {"server": "https://matrix.example.org", "token": cards.MATRIX_TOKEN, "roomId": cards.MATRIX_ROOM},
        cards.Matrix,
    ),
    Case("ntfy", "ntfy", {"topic": "ops-3f9a2c", "token": alerts.NTFY_TOKEN}, alerts.Ntfy),
    Case(
        "gotify", "gotify", {"server": "https://gotify.example.org/push/", "token": alerts.GOTIFY_TOKEN}, alerts.Gotify
    ),
    Case("pushover", "pushover", {"user": alerts.PUSHOVER_USER, "token": alerts.PUSHOVER_TOKEN}, alerts.Pushover),
    Case("pagerduty", "pagerduty", {"routingKey": alerts.PAGERDUTY_KEY, "region": "eu"}, alerts.PagerDuty),
    Case("opsgenie", "opsgenie", {"apiKey": alerts.OPSGENIE_KEY, "service": "jira"}, alerts.Opsgenie),
    Case(
        "twilio_sms",
        "twilio_sms",
        {
            "accountSid": alerts.TWILIO_ACCOUNT,
            "keySid": alerts.TWILIO_KEY,
            "keySecret": alerts.TWILIO_SECRET,
            "from": "+15550100",
            "to": "+491700000000",
        },
        alerts.Twilio,
    ),
)
CASES = {each.name: each for each in _ALL}
EDITING = ("slack_bot", "discord", "telegram", "mattermost_bot", "matrix")
CONVERGING = (*EDITING, "ntfy", "pagerduty", "opsgenie")
"""Where one message of an incident is kept in its latest state."""
