"""Rules about people: passwords, sessions, cookies, paired devices, identity providers."""
