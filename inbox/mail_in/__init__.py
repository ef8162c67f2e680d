"""Receives mails over SMTP: the listener, its limits, and the path of a mail into ingest (specification 19.16)."""
