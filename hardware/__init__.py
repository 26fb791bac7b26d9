"""The physical board: sensors and lights as small interfaces, their drivers, and a simulated board.

Nothing here knows a rule of the game, a square's name or a side: only cells that are occupied or empty, and lights.
"""
