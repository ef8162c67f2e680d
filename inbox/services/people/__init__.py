"""Use cases of people: sign-in, factors, accounts, devices, push."""
