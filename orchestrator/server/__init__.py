"""The server that worker hosts and mirrors on other machines ask, each with a token of its own."""
