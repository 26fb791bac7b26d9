"""What the configuration says of real wires: its tables, their contradictions, the parts it makes, their health."""
