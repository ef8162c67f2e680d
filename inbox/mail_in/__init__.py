"""Receiving mails over SMTP: the listener, its limits, and the way of a mail into ingest (specification 19.16)."""
