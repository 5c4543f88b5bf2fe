"""What must always hold: sentence -> SQL that returns offenders. Checked after every test."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path
from urllib.parse import quote

from orchestrator.store import copying
from orchestrator.store.backends.sqlite_backend import SqliteBackend
from orchestrator.store.store import Store
from tests import factories as make

INVARIANTS = {
    "1 a task in progress has exactly one open run, any other none": """
        SELECT t.session_id, t.key, t.status, count(r.id) FROM tasks t
        LEFT JOIN runs r ON r.task_id = t.id AND r.outcome IS NULL GROUP BY t.id
        HAVING count(r.id) <> (t.status = 'in_progress')""",
    "2 a completed task has exactly one completed run, and no run was opened after it": """
        SELECT t.session_id, t.key FROM tasks t LEFT JOIN runs r ON r.task_id = t.id AND r.outcome = 'completed'
        GROUP BY t.id HAVING count(r.id) <> (t.status = 'completed')
        UNION ALL SELECT a.session_id, a.id FROM runs a JOIN runs b ON b.task_id = a.task_id
        WHERE a.outcome = 'completed' AND b.epoch > a.epoch""",
    "3 no run starts before all blockers are completed or skipped": """
        SELECT r.id, b.key FROM runs r JOIN edges e ON e.task_id = r.task_id JOIN tasks b ON b.id = e.blocker_id
        WHERE r.outcome IN ('completed') AND (b.status NOT IN ('completed', 'skipped') OR b.finished_at > r.opened_at)""",
    "4 attempts equal counted runs": """
        SELECT t.session_id, t.key, t.attempts, count(r.id) FROM tasks t
        LEFT JOIN runs r ON r.task_id = t.id AND r.counted = 1 GROUP BY t.id HAVING t.attempts <> count(r.id)""",
    "5 a session is completed only if each task is completed, skipped or cancelled": """
        SELECT s.id, t.key, t.status FROM sessions s JOIN tasks t ON t.session_id = s.id
        WHERE s.status = 'completed' AND t.status NOT IN ('completed', 'skipped', 'cancelled')""",
    "6 paused has a reason": "SELECT id FROM sessions WHERE (status = 'paused') <> (pause_reason IS NOT NULL)",
    "7 messages are numbered 1..n without gap or repeat": """
        SELECT s.id, s.messages, count(m.number), max(m.number) FROM sessions s LEFT JOIN messages m ON m.session_id = s.id
        GROUP BY s.id HAVING count(m.number) <> s.messages OR coalesce(max(m.number), 0) <> s.messages""",
    "8 every artifact version has its content": """
        SELECT a.session_id, a.path, a.version FROM artifacts a LEFT JOIN contents c ON c.sha256 = a.sha256
        WHERE c.sha256 IS NULL OR c.size <> a.size""",
    "8 versions of a path are 1..n": """
        SELECT session_id, path FROM artifacts GROUP BY session_id, path
        HAVING count(*) <> max(version) OR min(version) <> 1""",
    "12 at most one open run a task, and epochs strictly grow": """
        SELECT task_id FROM runs WHERE outcome IS NULL GROUP BY task_id HAVING count(*) > 1
        UNION ALL SELECT r.task_id FROM runs r JOIN tasks t ON t.id = r.task_id WHERE r.epoch > t.epoch
        UNION ALL SELECT a.task_id FROM runs a JOIN runs b ON a.task_id = b.task_id
        WHERE a.epoch < b.epoch AND a.opened_at > b.opened_at""",
    "13 no half report: a completed run has its message": """
        SELECT r.id FROM runs r JOIN tasks t ON t.id = r.task_id WHERE r.outcome = 'completed' AND NOT EXISTS (
            SELECT 1 FROM messages m WHERE m.session_id = r.session_id AND m.kind = 'message'
            AND json_extract(m.data, '$.task') = t.key)""",
    "13 artifacts come from completed runs": """
        SELECT a.path FROM artifacts a JOIN runs r ON r.id = a.run_id WHERE r.outcome IS NOT 'completed'""",
    "14 no open run outlives its host's lease": """
        SELECT r.id FROM runs r JOIN hosts h ON h.incarnation = r.host
        WHERE r.outcome IS NULL AND r.lease_until > h.lease_until""",
    "19 lost and failed are counted, released and cancelled are not": """
        SELECT id, outcome FROM runs WHERE counted <> (outcome IN ('failed', 'lost')) AND outcome IS NOT NULL""",
    "26 edges stay inside one session": """
        SELECT e.task_id FROM edges e JOIN tasks a ON a.id = e.task_id JOIN tasks b ON b.id = e.blocker_id
        WHERE a.session_id <> b.session_id OR a.session_id <> e.session_id""",
    "26 the graph is acyclic": """
        WITH RECURSIVE up(start, at) AS (
            SELECT task_id, blocker_id FROM edges
            UNION SELECT up.start, e.blocker_id FROM up JOIN edges e ON e.task_id = up.at)
        SELECT start FROM up WHERE start = at""",
    "27 revision numbers are consecutive": """
        SELECT session_id, revision_of FROM tasks WHERE revision_of IS NOT NULL GROUP BY session_id, revision_of
        HAVING count(*) <> max(revision_no)""",
    "27 at most two revisions made for a task without force": """
        SELECT t.session_id, t.revision_of, count(*) FROM tasks t WHERE t.made_for = 1 GROUP BY t.session_id, t.revision_of
        HAVING count(*) > 2 + (SELECT count(*) FROM decisions d WHERE d.session_id = t.session_id AND d.forced = 1)""",
    "29 a cancelled session has no open run": """
        SELECT r.id FROM runs r JOIN sessions s ON s.id = r.session_id WHERE s.status = 'cancelled' AND r.outcome IS NULL""",
    "29 no run but advice was opened while its session was paused": """
        SELECT r.id FROM runs r JOIN messages p ON p.session_id = r.session_id AND p.type = 'paused'
        JOIN tasks t ON t.id = r.task_id WHERE t.prefix <> 'ARCH' AND r.opened_at > p.at AND NOT EXISTS (
            SELECT 1 FROM messages g WHERE g.session_id = r.session_id
            AND g.number > p.number AND g.type IN ('resumed', 'rework', 'feedback') AND g.at <= r.opened_at)""",
    "30 never more open runs on a host than slots": """
        SELECT h.incarnation, count(r.id) FROM hosts h JOIN runs r ON r.host = h.incarnation AND r.outcome IS NULL
            AND r.lease_until >= h.lease_until -- not named in the last renewal: stopped, and not yet reaped
        GROUP BY h.incarnation HAVING count(r.id) > h.slots""",
    "36 a role runs only tasks of its own": """
        SELECT r.id FROM runs r JOIN tasks t ON t.id = r.task_id JOIN hosts h ON h.incarnation = r.host
        WHERE NOT EXISTS (SELECT 1 FROM json_each(h.roles) j WHERE j.value = t.role)""",
    "unmet counts the unsatisfied blockers": """
        SELECT t.session_id, t.key, t.unmet FROM tasks t LEFT JOIN edges e ON e.task_id = t.id
        LEFT JOIN tasks b ON b.id = e.blocker_id WHERE t.status <> 'cancelled' GROUP BY t.id
        HAVING t.unmet <> sum(b.id IS NOT NULL AND b.status NOT IN ('completed', 'skipped'))""",
    "a verdict belongs to a completed run": """
        SELECT v.id FROM verdicts v JOIN runs r ON r.id = v.run_id WHERE r.outcome IS NOT 'completed'""",
    "38 no agent call of a closed run is under way": """
        SELECT c.id FROM agent_calls c JOIN runs r ON r.id = c.run_id
        WHERE r.outcome IS NOT NULL AND c.finished_at IS NULL""",
    "no more calls than turns of a cap": """
        SELECT s.id, count(*) FROM sessions s JOIN agent_calls c ON c.session_id = s.id AND c.metered = 1
        GROUP BY s.id HAVING sum(1) > json_extract(s.budget, '$.session.turns')
        UNION ALL SELECT t.key, count(*) FROM sessions s JOIN agent_calls c ON c.session_id = s.id AND c.metered = 1
        JOIN tasks t ON t.id = c.task_id GROUP BY c.task_id HAVING sum(1) > json_extract(s.budget, '$.task.turns')
            OR t.prefix IN ('IMPL', 'TEST', 'DEV-FE') AND sum(1) > json_extract(s.budget, '$.code.turns')""",
    "no call began when its session's or task's money, tokens, turns or minutes were used up": """
        WITH scopes(name) AS (VALUES ('session'), ('task'), ('code'))
        SELECT c.id, k.name FROM agent_calls c JOIN sessions s ON s.id = c.session_id JOIN tasks t ON t.id = c.task_id
        JOIN scopes k ON k.name <> 'code' OR t.prefix IN ('IMPL', 'TEST', 'DEV-FE')
        JOIN agent_calls d ON d.session_id = c.session_id AND d.metered = 1 AND d.finished_at < c.started_at
            AND (k.name = 'session' OR d.task_id = c.task_id)
        WHERE c.metered = 1 AND s.budget IS NOT NULL GROUP BY c.id, k.name
        HAVING sum(d.cost_micros) >= json_extract(s.budget, '$.' || k.name || '.usd')
            OR sum(coalesce(d.tokens_in, 0) + coalesce(d.tokens_out, 0))
                >= json_extract(s.budget, '$.' || k.name || '.tokens')
            OR sum(1 + d.retries) >= json_extract(s.budget, '$.' || k.name || '.turns')
            OR sum(d.finished_at - d.started_at) >= json_extract(s.budget, '$.' || k.name || '.minutes')""",
    "a cap is warned of once": """
        SELECT session_id, json_extract(data, '$.warned') FROM messages WHERE json_extract(data, '$.warned') IS NOT NULL
        GROUP BY session_id, json_extract(data, '$.warned'), json_extract(data, '$.cap') HAVING count(*) > 1""",
    "no call of an agent began while its account was held": """
        SELECT c.id, p.name FROM agent_calls c JOIN rate_limits p ON p.agent = c.agent
        WHERE c.metered = 1 AND c.started_at > p.since_at AND c.started_at < p.limited_until""",
    "a task waits for an account only while it is not started": """
        SELECT session_id, key FROM tasks WHERE limited_by IS NOT NULL AND status IN ('in_progress', 'completed')""",
    "47 each commit of a run has one completed run of its session": """
        SELECT c.session_id, c.number FROM commits c LEFT JOIN runs r ON r.id = c.run_id
        WHERE c.author = 'run' AND (r.outcome IS NOT 'completed' OR r.session_id <> c.session_id)""",
    "47 a completed task of a plan landed one commit, or tests showed that nothing had to be changed": """
        SELECT t.session_id, t.key FROM tasks t JOIN runs r ON r.task_id = t.id AND r.outcome = 'completed'
        WHERE json_extract(t.payload, '$.plan_task') IS NOT NULL
        AND (SELECT count(*) FROM commits c WHERE c.run_id = r.id) <> 1 AND NOT EXISTS (
            SELECT 1 FROM artifacts a JOIN contents b ON b.sha256 = a.sha256
            WHERE a.run_id = r.id AND a.path = 'qa/impl-' || t.key || '.json'
            AND json_extract(CAST(b.body AS TEXT), '$.commit') IS NULL AND NOT EXISTS (
                SELECT 1 FROM json_each(CAST(b.body AS TEXT), '$.criteria') e
                WHERE json_extract(e.value, '$.verified') <> 'test')
            AND NOT EXISTS (SELECT 1 FROM commits c WHERE c.run_id = r.id))""",
    "48 the head is the newest commit, else the base": """
        SELECT w.session_id, w.head FROM works w LEFT JOIN commits c ON c.session_id = w.session_id AND c.number = w.commits
        WHERE w.head <> coalesce(c.commit_id, w.base)
        UNION ALL SELECT w.session_id, w.commits FROM works w LEFT JOIN commits c ON c.session_id = w.session_id
        GROUP BY w.session_id HAVING count(c.number) <> w.commits OR coalesce(max(c.number), 0) <> w.commits""",
    "48 the parents of commits form one line from the base": """
        SELECT c.session_id, c.number FROM commits c JOIN works w ON w.session_id = c.session_id
        LEFT JOIN commits p ON p.session_id = c.session_id AND p.number = c.number - 1
        WHERE c.parent <> coalesce(p.commit_id, w.base)""",
    "51 a live tree has one open run, or waits after one that ended": """
        SELECT a.run_id FROM trees a JOIN runs r ON r.id = a.run_id
        WHERE a.state IN ('making', 'live') AND r.outcome IS NULL GROUP BY a.run_id HAVING count(*) > 1""",
    "51 a generation follows one that is retired": """
        SELECT a.session_id, a.lane, a.generation FROM trees a JOIN trees b ON b.session_id = a.session_id AND b.lane = a.lane
        AND b.generation > a.generation WHERE a.state IN ('making', 'live')""",
    "51 a tree is used by runs of its chain alone": """
        SELECT t.id FROM trees t JOIN runs r ON r.id = t.run_id WHERE r.loop <> t.chain""",
    "52 a folder was deleted only after its run had ended": """
        SELECT t.id FROM trees t JOIN runs r ON r.id = t.run_id WHERE t.state = 'trash' AND r.outcome IS NULL""",
    "53 a candidate of a run that did not complete has not landed": """
        SELECT c.id FROM candidates c JOIN runs r ON r.id = c.run_id JOIN commits l ON l.run_id = c.run_id
        WHERE r.outcome IS NOT 'completed'""",
    "54 where tests can be run, those of every landed tree were; evidence of an imported one is where it landed": """
        SELECT c.session_id, c.number FROM commits c JOIN runs r ON r.id = c.run_id WHERE c.author = 'run'
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = c.session_id AND m.kind = 'event'
            AND m.type = 'imported' AND m.at >= r.closed_at)
        AND EXISTS (SELECT 1 FROM checks k WHERE k.session_id = c.session_id AND k.kind = 'tests')
        AND NOT EXISTS (SELECT 1 FROM checks k WHERE k.session_id = c.session_id AND k.kind = 'tests'
            AND k.tree_id = c.tree_id)""",
    "54 a verdict is about what has landed": """
        SELECT v.session_id, v.id FROM verdicts v JOIN works w ON w.session_id = v.session_id
        WHERE v.kind IN ('test', 'review') AND json_extract(v.data, '$.head') NOT IN (w.base, w.head)
        AND NOT EXISTS (SELECT 1 FROM commits c WHERE c.session_id = v.session_id
            AND c.commit_id = json_extract(v.data, '$.head'))""",
    "55 tickets of a session are used once": """
        SELECT c.session_id, c.ticket FROM candidates c JOIN works w ON w.session_id = c.session_id
        WHERE c.ticket > w.tickets""",
    "57 tasks of a plan name the digest of the plan that made them, or that they were carried over to": """
        SELECT t.session_id, t.key FROM tasks t WHERE json_extract(t.payload, '$.plan_task') IS NOT NULL
        AND json_extract(t.payload, '$.plan_digest') IS NOT (
            SELECT json_extract(m.data, '$.digest') FROM messages m WHERE m.session_id = t.session_id
            AND m.type = 'fan_out' AND json_extract(m.data, '$.digest') IS NOT NULL AND EXISTS (
                SELECT 1 FROM json_each(m.data, '$.tasks') e WHERE e.key = t.key
                OR e.key = t.revision_of AND NOT EXISTS (SELECT 1 FROM messages o, json_each(o.data, '$.tasks') f
                    WHERE o.session_id = t.session_id AND o.type = 'fan_out' AND f.key = t.key))
            ORDER BY m.number DESC LIMIT 1)""",
    "57 what a plan that follows another does not name is not carried out again": """
        SELECT t.session_id, t.key FROM tasks t WHERE json_extract(t.payload, '$.plan_task') IS NOT NULL
        AND t.revision_of IS NOT NULL AND t.made_for = 0 AND NOT EXISTS (
            SELECT 1 FROM messages m, json_each(m.data, '$.tasks') e WHERE m.session_id = t.session_id
            AND m.type IN ('fan_out') AND e.key = t.key) AND NOT EXISTS (
            SELECT 1 FROM messages m, json_each(m.data, '$.made') e WHERE m.session_id = t.session_id
            AND m.type = 'rework' AND e.value = t.key)""",
    "57 where a person approves plans, tasks name the approved digest": """
        SELECT t.session_id, t.key FROM tasks t JOIN sessions s ON s.id = t.session_id
        WHERE json_extract(t.payload, '$.plan_task') IS NOT NULL AND json_extract(s.options, '$.approve_plan')
        AND json_extract(t.payload, '$.plan_digest') IS NOT (
            SELECT d.digest FROM decisions d WHERE d.session_id = t.session_id AND d.subject LIKE 'approve_plan%'
            AND d.digest = json_extract(t.payload, '$.plan_digest'))""",
    "57 a plan task is carried out once": """
        SELECT session_id, json_extract(payload, '$.plan_task') FROM tasks WHERE revision_of IS NULL
        AND json_extract(payload, '$.plan_task') IS NOT NULL
        GROUP BY session_id, json_extract(payload, '$.plan_task') HAVING count(*) > 1""",
    "58 at most two fix rounds for the same work": """
        WITH builds AS (SELECT session_id, key, seq, revision_of IS NULL
                AND json_extract(payload, '$.fix') IS NOT NULL
                AND json_extract(payload, '$.fix.of') IS NULL AS fixes, revision_of IS NULL
                AND json_extract(payload, '$.rebase') IS NOT NULL AS rebases
            FROM tasks WHERE prefix IN ('IMPL', 'DEV-FE'))
        SELECT f.session_id, f.key FROM builds f WHERE f.fixes AND 2 < (
            SELECT count(*) FROM builds e WHERE e.session_id = f.session_id AND e.fixes AND e.seq <= f.seq
            AND e.seq > (SELECT coalesce(max(b.seq), 0) FROM builds b WHERE b.session_id = f.session_id
                AND NOT b.fixes AND NOT b.rebases AND b.seq < f.seq))""",
    "60 a task is worked on in at most three turns an attempt, and one more for each of two merges": """
        SELECT c.run_id, count(*) FROM agent_calls c WHERE c.purpose = 'implementation'
        GROUP BY c.run_id HAVING count(*) > 3 + 2""",
    "60 a task is worked on in at most three turns for each of its attempts, and one more for each answered question": """
        SELECT c.task, count(*) FROM (SELECT c.*, t.key AS task, t.max_attempts AS most, t.session_id AS session
            FROM agent_calls c JOIN tasks t ON t.id = c.task_id) c
        WHERE c.purpose = 'implementation'
        AND c.outcome IN ('answered', 'mined', 'error', 'timeout', 'crashed', 'rubbish')
        GROUP BY c.task_id HAVING count(*) > 3 * most + (SELECT count(*) FROM decisions d
            WHERE d.session_id = session AND d.subject = 'answer ' || task)""",
    "61 a link is verified by a check in which its test passed": """
        SELECT l.session_id, l.from_id, l.to_id FROM links l LEFT JOIN checks k
            ON k.id = l.check_id AND k.session_id = l.session_id AND k.kind = 'tests'
        WHERE l.verified = 1 AND l.to_kind = 'test' AND NOT EXISTS (
            SELECT 1 FROM json_each(k.data, '$.run.outcomes') o WHERE o.key = l.to_id AND o.value = 'passed')""",
    "offered tasks are ready": "SELECT key FROM tasks WHERE offered_at IS NOT NULL AND (status <> 'pending' OR unmet > 0)",
    "a paused session offers nothing but advice, to a person who decides": """
        SELECT t.key FROM tasks t JOIN sessions s ON s.id = t.session_id
        WHERE t.offered_at IS NOT NULL AND s.status <> 'active' AND NOT (s.status = 'paused' AND t.prefix = 'ARCH'
            AND s.pause_reason IN ('checkpoint', 'signoff_blocked', 'revision_exhausted', 'discussion_blocked',
                'work_question', 'plan_approval', 'supervision_blocked', 'discussion_feedback'))""",
    "nothing waits for advice that somebody asked for": """
        SELECT t.key, b.key FROM edges e JOIN tasks b ON b.id = e.blocker_id JOIN tasks t ON t.id = e.task_id
        WHERE b.prefix = 'ARCH' AND b.key GLOB 'ARCH-[A-Z]*'""",
    "advice does not fail: it is left out": "SELECT key FROM tasks WHERE prefix = 'ARCH' AND status = 'failed'",
}


def offenders(database: Path) -> dict[str, list[tuple[object, ...]]]:
    """Each broken sentence with the rows that break it; SQLite's own checks among them."""
    connection = sqlite3.connect(f"file:{quote(str(database))}?mode=ro", uri=True)
    try:
        found = {sentence: connection.execute(sql).fetchall() for sentence, sql in INVARIANTS.items()}
        found["42 integrity_check"] = [
            row for row in connection.execute("PRAGMA integrity_check").fetchall() if row != ("ok",)
        ]
        found["42 foreign_key_check"] = connection.execute("PRAGMA foreign_key_check").fetchall()
    finally:
        connection.close()
    return {sentence: rows for sentence, rows in found.items() if rows}


def check_store(store: Store) -> None:
    """The same of a store on any database: its rows are copied into a file, whose own checks see them too."""
    if isinstance(store.backend, SqliteBackend):
        return check(store.path)
    with tempfile.TemporaryDirectory() as folder:
        file = make.make_store(Path(folder), synchronous="OFF")
        copying.copy(store, file)
        file.close()
        check(file.path)
        return None


def check(database: Path) -> None:
    """Raises AssertionError that names every broken invariant."""
    broken = offenders(database)
    assert not broken, "\n".join(f"{sentence}: {rows[:5]}" for sentence, rows in broken.items())
