"""A flow of tasks in the process that asks for it, its states kept by a Prefect server."""

from prefect import flow, task
from steps import STEPS, step


@task
def run(chain, number):
    step(chain, number)


@flow
def flow_of_steps(chain):
    for number in range(1, STEPS + 1):
        run(chain, number)


def submit(chains, again):
    for chain in chains:
        flow_of_steps(chain)
