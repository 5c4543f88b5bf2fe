"""`python merged_stderr.py PROGRAM ...` becomes the program, what it says on standard error among its output.

For a client that tells only there what it waits for: its output is watched while it runs, standard error is not.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    os.dup2(1, 2)
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - no shell is what is wanted
