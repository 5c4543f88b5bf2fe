"""The only room with SQL: tables, guarded transitions, read-only views."""
