"""A board without a board: pieces that stand on cells, sensors that err as real ones do, lights that remember, hands."""
