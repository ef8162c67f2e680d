"""The machine room: sets up, starts, watches and stops everything that the service runs on."""
