"""One run through its five phases, and what it is started with."""
