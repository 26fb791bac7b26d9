"""A board without a board: pieces on cells, sensors that err as real ones do, lights that remember, hands."""
