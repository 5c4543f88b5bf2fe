"""Starting processes: the daemon itself, and worker hosts."""
