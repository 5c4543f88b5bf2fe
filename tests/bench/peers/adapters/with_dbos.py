"""A workflow of steps in the process that asks for it; what was pending is gone on with when it starts."""

from dbos import DBOS
from steps import STEPS, step

DBOS(config={"name": "bench", "system_database_url": "sqlite:///dbos.db"})


@DBOS.step()
def run(chain, number):
    step(chain, number)


@DBOS.workflow()
def workflow(chain):
    for number in range(1, STEPS + 1):
        run(chain, number)


DBOS.launch()


def submit(chains, again):
    for chain in chains:
        DBOS.start_workflow(workflow, chain)
