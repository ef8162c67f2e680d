"""Tables and queries of people: accounts, factors, devices, links, members."""
