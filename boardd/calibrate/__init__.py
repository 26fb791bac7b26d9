"""Learns how sensors and lights are wired, square by square: the record, the conversation, and its faces."""
