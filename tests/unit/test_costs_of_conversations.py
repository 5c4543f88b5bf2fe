"""What one turn cost, of a client that tells the cost of a whole conversation."""

from __future__ import annotations

from pathlib import Path

from tests.clients.support import request
from tests.unit.test_dialects import CLAUDE, WELL, claude_ended


def test_claude_adds_up_costs_over_a_conversation_unless_it_began_to_count_anew() -> None:
    def cost(total: float, counted: int, resume: str | None) -> tuple[float, str | None]:
        more = {"total_cost_usd": total, "modelUsage": {"m": {"inputTokens": counted}}}
        output = CLAUDE.parse_output(claude_ended(**more), "", WELL, resume)
        assert output.usage.cost_usd is not None
        return round(output.usage.cost_usd, 6), output.session

    assert cost(0.0043, 2119, None) == (0.0043, "s-1:4300")
    assert cost(0.0093, 4238, "s-1:4300") == (0.005, "s-1:9300")
    assert cost(0.0043, 2119, "s-1:4300") == (0.0043, "s-1:4300"), "the tokens are those of this turn"
    assert cost(0.0043, 4238, "s-1:9300") == (0.0043, "s-1:4300"), "it cannot become less"
    assert cost(0.0043, 4238, "s-1") == (0.0043, "s-1:4300"), "how much it was before is not known"
    assert CLAUDE.parse_output("", "", None, "s-1:4300").session == "s-1:4300"
    resumed = CLAUDE.call(request(Path("run"), "p"), "p", "s-1:4300", Path("run")).argv
    assert resumed[resumed.index("--resume") + 1] == "s-1"
