"""A pipeline of messages; the worker is `dramatiq`."""

import os

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from steps import STEPS, step

dramatiq.set_broker(RedisBroker(url=os.environ["SERVER_URL"]))


@dramatiq.actor
def run(chain, number):
    step(chain, number)


def submit(chains, again):
    for chain in chains:
        dramatiq.pipeline(
            run.message_with_options(args=(chain, number), pipe_ignore=True) for number in range(1, STEPS + 1)
        ).run()
