"""Recording what agents answer, and replaying it without them."""
