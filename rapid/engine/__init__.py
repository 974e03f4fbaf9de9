"""The game as a decider: `decide`, `evolve`, `project`. Pure and total."""
