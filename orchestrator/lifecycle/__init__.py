"""What a finished run leads to: the rules' decisions applied in the transaction that closes it."""
