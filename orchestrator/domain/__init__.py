"""The rules of the product: pure values in, pure values out. No I/O, no clock, no SQL, no logging."""
