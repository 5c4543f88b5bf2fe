"""The only package with SQL: tables, guarded transitions, read-only views."""
