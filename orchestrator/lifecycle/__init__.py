"""The consequences of a finished run, applied in the transaction that closes it."""
