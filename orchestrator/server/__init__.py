"""The server that worker hosts on other machines ask: the desk over HTTP, with a token for each host."""
