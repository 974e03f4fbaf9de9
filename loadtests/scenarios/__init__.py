"""What is done to the server, one module a scenario."""
