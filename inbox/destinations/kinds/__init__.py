"""The destination kinds, a module each. A module describes its kind and sends a message; `inbox.destinations` lists them."""
