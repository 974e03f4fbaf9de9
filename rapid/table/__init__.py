"""One authority per table: entry in, effects out; and the worker that drives them."""
