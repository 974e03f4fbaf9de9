"""The clients of a load test: one thread, one loop, real sockets, as little Python for each frame as can be."""
