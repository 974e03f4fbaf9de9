"""Bots: they see their seat's view and nothing else (RULES section 8). Pure: dice are passed in."""
