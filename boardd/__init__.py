"""The daemon `konakis`: from settled sensors to moves, games, hints, storage and page."""
