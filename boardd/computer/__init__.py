"""The computer's side: engines as child processes, the protocol they speak, hints, and looking back at a game."""
