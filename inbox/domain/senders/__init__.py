"""Rules about senders: their keys, addresses for webhooks, and recoveries in plain messages."""
