"""One module a page: it reads the values of a view, and renders one template."""
