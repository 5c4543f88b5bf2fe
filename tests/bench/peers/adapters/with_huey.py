"""A pipeline of tasks; the worker is huey's consumer."""

from huey import SqliteHuey
from steps import STEPS, step

huey = SqliteHuey(filename="huey.db")


@huey.task()
def run(chain, number):
    step(chain, number)


def submit(chains, again):
    for chain in chains:
        pipeline = run.s(chain, 1)
        for number in range(2, STEPS + 1):
            pipeline = pipeline.then(run, chain, number)
        huey.enqueue(pipeline)
