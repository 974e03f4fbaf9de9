"""HTTP and WebSocket for everyone outside; no state of its own that the log does not hold."""
