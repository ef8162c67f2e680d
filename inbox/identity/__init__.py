"""Authentication methods: identity providers, authenticator codes, recovery codes, passkeys. Values in, values out."""
