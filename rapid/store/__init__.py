"""Redis: keys, connection, inbox, log, leases, presence; and a server of our own."""
