"""Measurements and the tuning of the engine. Not installed; run from the repository, best on a compiled engine."""
