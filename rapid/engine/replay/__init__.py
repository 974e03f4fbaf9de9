"""A second reading of the rules: replays exported logs and tells whether every line of them is right.

It shares no code with the engine that wrote the logs, so that one misreading cannot hide in both.
"""
