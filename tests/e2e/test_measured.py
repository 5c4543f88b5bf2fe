"""What the findings of a discussion led to, as `discuss`, `show` and their JSON say it after a revision."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.court import court

WISH = "Visitors must be able to export a QR code for every link"
LOST = "REQ-001 does not say what happens when the connection is lost"
PACK = """\
pipelines:
  two-documents:
    title: discovery and requirements
    tasks:
      - {key: RESEARCH-001}
      - {key: DRAFT-001, blocked_by: [RESEARCH-001]}
      - {key: DRAFT-002, round: DISCUSS-003, blocked_by: [DRAFT-001]}
"""


def test_the_findings_of_a_round_are_compared_with_the_next_version(tmp_path: Path) -> None:
    said = {"rating": 4, "weaknesses": [{"text": LOST, "severity": "low"}]}
    plan = {"DRAFT-002/quality": said, "DRAFT-002/product": {"rating": 4, "suggestions": [WISH]}}
    with court(tmp_path) as judged:
        with judged.pack(PACK):
            session, started = judged.start(plan, "--mode", "two-documents")
        assert started.code == 0, started.err
        before = judged.project.run("show", session)

        revised = judged.project.run("revise", "DRAFT-002", WISH, "--session", session)
        assert revised.code == 0, revised.err
        listed = judged.project.run("discuss", "--json").json()
        task = judged.project.run("discuss", "DRAFT-002", "--json").json()
        shown, line = judged.project.run("discuss", "DRAFT-002"), judged.project.run("show", session)
        worth = judged.project.run("discuss", "--all", "--json").json()
        table = judged.project.run("discuss", "--all")

    assert "discussed    2 findings; no later version yet" in before.out
    assert [(each["task"], each["effects"]["led_to_a_change"]) for each in listed] == [
        ("DRAFT-002", 1),
        ("DRAFT-002-R1", 0),
    ]
    assert {(each["perspective"], each["kind"], each["effect"]) for each in task["measured"]} == {
        ("quality", "weakness", "neither"),
        ("product", "suggestion", "answered"),
    }
    assert "Led to: 2 findings, 1 led to a change" in shown.out
    assert f"[answered] suggestion product: {WISH}" in shown.out
    assert "discussed    2 findings, 1 led to a change" in line.out
    by = {(each["perspective"], each["agent"]): each for each in worth}
    assert by["product", "judge"]["rounds"] == by["product", "judge"]["calls"] == 2
    assert (by["product", "judge"]["led_to_a_change"], by["quality", "judge"]["led_to_a_change"]) == (1, 0)
    assert "PERSPECTIVE" in table.out and "1 of 1" in table.out
