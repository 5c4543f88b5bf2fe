"""A graph of nodes in a row with a checkpoint after each, in the process that asks for it."""

import sqlite3
from functools import partial
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from steps import STEPS, step


class State(TypedDict):
    chain: str
    done: int


def run(state, number):
    step(state["chain"], number)
    return {"done": number}


def build():
    graph = StateGraph(State)
    names = [str(number) for number in range(1, STEPS + 1)]
    for number, name in enumerate(names, start=1):
        graph.add_node(name, partial(run, number=number))
    for edge in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(*edge)
    return graph.compile(checkpointer=SqliteSaver(sqlite3.connect("langgraph.db", check_same_thread=False)))


graph = build()


def submit(chains, again):
    for chain in chains:
        first = None if again else {"chain": chain, "done": 0}  # nothing new: go on with what is stored
        graph.invoke(first, {"configurable": {"thread_id": chain}})
