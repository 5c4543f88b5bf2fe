"""A chain of immutable signatures; the worker is `celery worker`."""

import os

from celery import Celery, chain
from steps import STEPS, step

app = Celery("bench", broker=os.environ["SERVER_URL"])


@app.task
def run(name, number):
    step(name, number)


def submit(chains, again):
    for name in chains:
        chain(run.si(name, number) for number in range(1, STEPS + 1)).apply_async()
