"""What thinks: agents behind one protocol."""
