"""The worker host: claims offered tasks and takes each through the five phases."""
