"""The worker's door: all that hosts and their runs may ask of the project, and nothing of how it is kept."""
