"""The floor: the same Redis hops as the server's, without rules, sessions, checks or metrics.

One stream for what comes in, decided in batches, one fenced append and publication for each event, prebuilt frames to
the four of the table. No Python server of this shape can be faster; how near ours comes is what is measured.
"""
