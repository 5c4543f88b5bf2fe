"""The coordinator: beats, the handlers of commands, reconciling and projecting. Called by every face and by the daemon."""
