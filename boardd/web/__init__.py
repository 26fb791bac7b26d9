"""The web page of the board: what it is served by (`server`), what it asks of the daemon (`face_protocol`).

The page itself lies in `static/`, as it is served: no build step, nothing from outside. This package knows no rule
of the game and no hardware; all it knows of either comes through a `Face`.
"""
