"""Cards, decks, combinations and the shuffle that anyone can check. Pure."""
