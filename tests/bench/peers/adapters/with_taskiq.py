"""A task that sends its successor, since chains are no part of taskiq; the worker is `taskiq worker`."""

import asyncio
import os

from steps import STEPS, step
from taskiq_redis import RedisStreamBroker

broker = RedisStreamBroker(url=os.environ["SERVER_URL"])
runner = asyncio.Runner()


@broker.task
async def run(chain: str, number: int) -> None:
    step(chain, number)
    if number < STEPS:
        await run.kiq(chain, number + 1)


async def send(chains):
    await broker.startup()
    for chain in chains:
        await run.kiq(chain, 1)


def submit(chains, again):
    runner.run(send(chains))
