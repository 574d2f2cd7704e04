"""Notes that outlive a session: files, index, search, flush."""
