"""Proofs of who somebody is: identity providers, codes of an app, recovery codes, passkeys. Values in, values out."""
