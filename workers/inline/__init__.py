"""Utilities any role calls inside its own task: discuss, explore, document generation."""
