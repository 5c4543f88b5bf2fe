"""The coordinator's daemon: its loop, leadership, timers, beats, reconciling and projecting."""
