"""What only one kind of database has: its dialect, its driver's errors, how it is opened, checked, copied and migrated."""
