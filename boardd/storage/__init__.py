"""What is kept on disk: games in SQLite, the sensors' trace in files, one daemon for one directory."""
