"""What is asked at the door of a session's code, on each database: done, asked again, for another's run, after the lease."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.domain.errors import HeadMoved, LaneInUse, LeaseLost, NotAllowedNow
from orchestrator.door.desk import Desk, Landing, Run
from orchestrator.store.store import Store
from tests import factories as make
from tests import invariants
from tests.desk_world import ROLES, START, DeskWorld, Write, done

BASE, FIRST, SECOND, TREE = ("0" * 39 + digit for digit in "1234")
FOLDER = Path("/nowhere/trees")
WRITES: dict[str, Write] = {
    "open_tree": lambda desk, run: desk.open_tree(run, 7, FOLDER, BASE),
    "make_live": lambda desk, run: desk.make_live(run, 1),
    "hand_on": lambda desk, run: desk.hand_on(run, 0),
    "rebase_tree": lambda desk, run: desk.rebase_tree(run, 1, FIRST),
    "propose": lambda desk, run: desk.propose(run, "digest", BASE, SECOND, TREE, []),
    "take_ticket": lambda desk, run: desk.take_ticket(run, 1),
    "drop_ticket": lambda desk, run: desk.drop_ticket(run, 1),
}


@pytest.fixture
def world(
    make_store: Callable[..., Store], make_desk: Callable[..., Desk], named_sessions: None
) -> Iterator[DeskWorld]:
    clock = make.SetClock(START)
    store = make_store(clock=clock)
    found = DeskWorld(store, clock, make_desk(store, clock))
    found.host()
    yield found
    invariants.check_store(store)
    store.close()


@pytest.fixture
def desk(world: DeskWorld) -> Desk:
    return world.desk


@pytest.fixture
def run(world: DeskWorld) -> Run:
    """Of a session whose work has begun."""
    session = world.offered()
    world.desk.begin_work(session, "repository", BASE)
    return world.claimed()


def landing(desk: Desk, run: Run, commit: str = FIRST) -> Landing:
    """Of a candidate that is queued."""
    proposed = desk.propose(run, "digest", BASE, commit, TREE, [])
    desk.take_ticket(run, proposed.id)
    return Landing(proposed.id, BASE, commit, TREE)


# the fence


def test_nothing_is_written_of_code_by_a_run_that_is_not_ours(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.make_live(run, desk.open_tree(run, 0, FOLDER, BASE).id)
    landing(desk, run)

    world.refuses(WRITES, run._replace(host=world.host("h-2")))
    world.refuses(WRITES, run._replace(run="0" * 32))
    world.pass_lease()
    world.refuses(WRITES, run)


def test_a_run_touches_no_tree_and_no_ticket_of_another(world: DeskWorld, desk: Desk, run: Run) -> None:
    tree = desk.make_live(run, desk.open_tree(run, 0, FOLDER, BASE).id)
    own = landing(desk, run)
    world.offered("Build a chat server")
    other = world.claimed()
    before = world.rows()

    for refused in (
        lambda: desk.make_live(other, tree.id),
        lambda: desk.rebase_tree(other, tree.id, FIRST),
        lambda: desk.take_ticket(other, own.candidate),
    ):
        with pytest.raises(LeaseLost):
            refused()
    desk.drop_ticket(other, own.candidate)

    assert world.rows() == before


# the head


def test_what_work_begins_with_stays(world: DeskWorld, desk: Desk) -> None:
    session = world.offered()
    assert desk.work(session) is None and desk.work_state(session) is None

    desk.begin_work(session, "repository", BASE, [(FIRST, TREE)])
    before = world.rows()
    desk.begin_work(session, "repository", SECOND, [(FIRST, TREE)])

    assert world.rows() == before
    found = desk.work(session)
    assert found is not None and (found.base, found.head) == (BASE, FIRST)
    assert [each.commit_id for each in desk.commits(session)] == [FIRST]
    assert [state.session_id for state in desk.work_states()] == [session]


def test_commits_of_the_user_are_adopted_on_the_head_that_was_seen(
    world: DeskWorld, desk: Desk, run: Run
) -> None:
    assert desk.adopt(run.session_id, BASE, [(FIRST, TREE)])
    before = world.rows()

    assert not desk.adopt(run.session_id, BASE, [(FIRST, TREE)])

    assert world.rows() == before
    assert [(each.commit_id, each.author) for each in desk.landed(run.session_id)] == [(FIRST, "user")]


def test_a_publication_is_said_once(world: DeskWorld, desk: Desk, run: Run) -> None:
    for _ in range(2):
        desk.note_published(run.session_id, "refs/heads/b", BASE)
        desk.note_publication(run.session_id, "done", "refs/heads/b", BASE, "")

    found = desk.work(run.session_id)
    assert found is not None and (found.branch, found.published) == ("refs/heads/b", BASE)
    said = [row for row in world.rows()["messages"] if "publication" in row]
    assert len(said) == 1


# trees


def test_a_tree_from_its_row_to_the_end_of_its_folder(world: DeskWorld, desk: Desk, run: Run) -> None:
    session = run.session_id
    assert desk.lane_for(run, FOLDER) == 0 and desk.tree_in_use(session, 0) is None

    tree = desk.open_tree(run, 0, FOLDER, BASE)
    assert (tree.path, tree.state, tree.run_id) == (FOLDER / "0-1", "making", run.run)
    assert desk.make_live(run, tree.id) == desk.make_live(run, tree.id) == tree._replace(state="live")
    assert desk.rebase_tree(run, tree.id, FIRST) == desk.rebase_tree(run, tree.id, FIRST)
    assert not desk.retire_tree(session, tree.id), "its run is open"

    world.desk.report(done(run), ROLES, draining=False)

    assert [desk.retire_tree(session, tree.id) for _ in range(2)] == [True, False]
    assert [desk.discard_tree(session, tree.id) for _ in range(2)] == [True, False]
    assert [row.state for row in desk.left_trees(session)] == ["trash"]
    assert len(desk.lanes(session)) == 1
    for _ in range(2):
        desk.note_removed(session, tree.id)
    assert desk.left_trees(session) == desk.lanes(session) == []


def test_a_lane_in_use_is_refused_also_to_the_run_that_has_it(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.open_tree(run, 0, FOLDER, BASE)
    before = world.rows()

    with pytest.raises(LaneInUse):
        desk.open_tree(run, 0, FOLDER, BASE)

    assert world.rows() == before


def test_a_warm_tree_is_handed_on_to_the_next_run_of_its_chain(
    world: DeskWorld, desk: Desk, run: Run
) -> None:
    desk.make_live(run, desk.open_tree(run, 0, FOLDER, BASE).id)
    writer = desk.report(done(run), ROLES, draining=False).next
    assert writer is not None
    assert desk.hand_on(writer, 0) is None, "it is of another chain"
    tree = desk.make_live(writer, desk.open_tree(writer, 1, FOLDER, BASE).id)
    following = desk.report(done(writer), ROLES, draining=False).next
    assert following is not None and following.loop == writer.loop
    assert desk.lane_for(following, FOLDER) == 1

    handed = desk.hand_on(following, 1)

    assert handed == tree._replace(run_id=following.run)
    assert desk.hand_on(following, 1) == handed, "asked again it is still the run's"


# candidates


def test_a_candidate_keeps_its_row_and_its_ticket(world: DeskWorld, desk: Desk, run: Run) -> None:
    first = desk.propose(run, "digest", BASE, FIRST, TREE, [{"kind": "twin", "path": "a"}])
    assert desk.propose(run, "digest", BASE, FIRST, TREE, []) == first
    ticket = desk.take_ticket(run, first.id)
    before = world.rows()

    assert desk.take_ticket(run, first.id) == ticket
    assert world.rows() == before
    assert desk.is_its_turn(first.id)
    for _ in range(2):
        desk.drop_ticket(run, first.id)
    assert desk.take_ticket(run, first.id) > ticket


def test_candidates_land_in_the_order_of_their_tickets(world: DeskWorld, desk: Desk, run: Run) -> None:
    earlier, later = (desk.propose(run, "digest", BASE, commit, TREE, []).id for commit in (FIRST, SECOND))
    desk.take_ticket(run, later)
    desk.take_ticket(run, earlier)

    assert desk.is_its_turn(later) and not desk.is_its_turn(earlier)
    assert not desk.ahead_of(later) and [each.id for each in desk.ahead_of(earlier)] == [later]
    with pytest.raises(NotAllowedNow):
        desk.report(done(run, landing=Landing(earlier, BASE, FIRST, TREE)), ROLES, draining=False)


def test_what_a_released_run_left_is_found_by_the_next_one(world: DeskWorld, desk: Desk, run: Run) -> None:
    proposed = desk.propose(run, "digest", BASE, FIRST, TREE, [])
    assert desk.left_candidate(run, "digest", BASE) is None, "its run is open"
    make.fail(world.store, run, counted=False)
    world.beat(run.session_id)
    again = world.claimed()

    assert desk.left_candidate(again, "digest", BASE) == proposed
    assert desk.left_candidate(again, "another", BASE) is None
    assert desk.left_candidate(again, "digest", FIRST) is None


# landing, in the report


def test_a_candidate_lands_once_however_often_its_report_is_sent(
    world: DeskWorld, desk: Desk, run: Run
) -> None:
    given = done(run, landing=landing(desk, run))

    first = desk.report(given, ROLES, draining=False)
    before = world.rows()
    again = desk.report(given, ROLES, draining=False)

    assert world.rows() == before
    assert again.next == first.next
    assert [(each.commit_id, each.run_id) for each in desk.landed(run.session_id)] == [(FIRST, run.run)]
    found = desk.work(run.session_id)
    assert found is not None and found.head == FIRST


def test_a_report_on_a_head_that_has_moved_writes_nothing(world: DeskWorld, desk: Desk, run: Run) -> None:
    given = done(run, landing=landing(desk, run))
    desk.adopt(run.session_id, BASE, [(SECOND, TREE)])
    before = world.rows()

    with pytest.raises(HeadMoved):
        desk.report(given, ROLES, draining=False)

    assert world.rows() == before


def test_a_report_that_lands_is_refused_after_the_lease(world: DeskWorld, desk: Desk, run: Run) -> None:
    given = done(run, landing=landing(desk, run))
    world.pass_lease()
    before = world.rows()

    with pytest.raises(LeaseLost):
        desk.report(given, ROLES, draining=False)

    assert world.rows() == before


# sessions


def test_a_session_is_known_by_its_name(world: DeskWorld, desk: Desk, run: Run) -> None:
    assert desk.is_session(run.session_id) and not desk.is_session("nobody's")
    assert not desk.is_deleted(run.session_id) and not desk.is_deleted("nobody's")
    assert desk.title(run.session_id) and desk.title("nobody's") == ""
    assert desk.newest_text(run.session_id, "spec/a.md") is None
