"""The Temporal server that delivers offers to worker hosts, where `dispatch` says so: what is known of it is here alone."""
