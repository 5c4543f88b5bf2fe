"""`python -m client <adapter>`: hand chains to a peer, as asked by JSON lines; each is answered by one.

A line is [names of chains, whether they are asked for again]. An adapter is a module with `submit(chains, again)`,
which makes the peer run a chain of STEPS dependent steps, `steps.step(chain, number)`, for each name.
"""

import importlib
import json
import sys

if __name__ == "__main__":
    submit = importlib.import_module(sys.argv[1]).submit
    for line in sys.stdin:
        chains, again = json.loads(line)
        submit(chains, again)
        print(json.dumps({"sent": len(chains)}), flush=True)
