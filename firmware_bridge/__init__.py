"""The wire between the daemon and a microcontroller under the board (to come)."""
