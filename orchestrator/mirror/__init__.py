"""A person's folder on another machine that follows the documents of a project and sends its edits."""
