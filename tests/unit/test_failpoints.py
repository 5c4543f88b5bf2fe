"""Every named place is passed by the code, and every place that the code passes is named."""

import re
from pathlib import Path

from orchestrator.failpoints import (
    ADOPT_NAMES,
    BUILD_NAMES,
    CODE_NAMES,
    COMMAND_NAMES,
    ENGINE_NAMES,
    FLEET_NAMES,
    FORK_NAMES,
    FRONTEND_NAMES,
    GIT_NAMES,
    MIRROR_NAMES,
    NAMES,
)

ROOT = Path(__file__).parents[2]
HIT = re.compile(r'failpoints\.hit\("([a-z._]+)"\)')


def test_the_names_are_those_of_the_code() -> None:
    sources = [*ROOT.glob("orchestrator/**/*.py"), *ROOT.glob("workers/**/*.py")]
    passed = {name for source in sources for name in HIT.findall(source.read_text(encoding="utf-8"))}

    named = [*NAMES, *COMMAND_NAMES, *GIT_NAMES, *BUILD_NAMES, *FORK_NAMES, *FRONTEND_NAMES, *CODE_NAMES]
    named += [*ENGINE_NAMES, *FLEET_NAMES, *ADOPT_NAMES, *MIRROR_NAMES]

    assert passed == set(named)
    assert len(named) == len(set(named))
