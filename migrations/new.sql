-- Written by `python -m tests.new_schema`.
PRAGMA application_id=1414284081;
BEGIN IMMEDIATE;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE commands (
	id TEXT NOT NULL,
	name TEXT NOT NULL,
	session_id TEXT,
	digest TEXT NOT NULL,
	answer TEXT NOT NULL,
	at INTEGER NOT NULL,
	CONSTRAINT pk_commands PRIMARY KEY (id)
)
 STRICT;
CREATE TABLE contents (
	sha256 TEXT NOT NULL,
	size INTEGER NOT NULL,
	body BLOB,
	CONSTRAINT pk_contents PRIMARY KEY (sha256),
	CONSTRAINT ck_contents_sha256 CHECK (length(sha256) = 64)
)
 STRICT;
CREATE TABLE hosts (
	incarnation TEXT NOT NULL,
	boot TEXT NOT NULL,
	pid_space TEXT NOT NULL,
	pid INTEGER NOT NULL,
	process_start INTEGER NOT NULL,
	roles TEXT NOT NULL,
	slots INTEGER NOT NULL,
	lease_until INTEGER NOT NULL,
	draining INTEGER DEFAULT 0 NOT NULL,
	started_at INTEGER NOT NULL, version TEXT DEFAULT '' NOT NULL, token TEXT,
	CONSTRAINT pk_hosts PRIMARY KEY (incarnation),
	CONSTRAINT ck_hosts_draining CHECK (draining IN (0, 1)),
	CONSTRAINT ck_hosts_slots CHECK (slots > 0)
)
 STRICT;
CREATE TABLE leases (
	name TEXT NOT NULL,
	holder TEXT NOT NULL,
	epoch INTEGER NOT NULL,
	boot TEXT NOT NULL,
	pid_space TEXT NOT NULL,
	pid INTEGER NOT NULL,
	process_start INTEGER NOT NULL,
	until INTEGER NOT NULL,
	at INTEGER NOT NULL, version TEXT DEFAULT '' NOT NULL,
	CONSTRAINT pk_leases PRIMARY KEY (name),
	CONSTRAINT ck_leases_epoch CHECK (epoch > 0)
)
 STRICT;
CREATE TABLE "rate_limits" (
	name TEXT NOT NULL,
	limited_until INTEGER NOT NULL,
	since_at INTEGER NOT NULL,
	guesses INTEGER NOT NULL,
	agent TEXT NOT NULL,
	why TEXT NOT NULL,
	CONSTRAINT pk_rate_limits PRIMARY KEY (name),
	CONSTRAINT ck_rate_limits_name CHECK (name <> ''),
	CONSTRAINT ck_rate_limits_guesses CHECK (guesses >= 0),
	CONSTRAINT ck_rate_limits_why CHECK (length(why) <= 500),
	CONSTRAINT ck_rate_limits_limited_until CHECK (limited_until > since_at)
)
 STRICT;
CREATE TABLE sessions (
	id TEXT NOT NULL,
	mode TEXT NOT NULL,
	title TEXT NOT NULL,
	language TEXT NOT NULL,
	workspace TEXT NOT NULL,
	status TEXT NOT NULL,
	pause_reason TEXT,
	gate TEXT,
	score REAL,
	needs_beat INTEGER DEFAULT 1 NOT NULL,
	messages INTEGER DEFAULT 0 NOT NULL,
	projected INTEGER DEFAULT 0 NOT NULL,
	archived INTEGER DEFAULT 0 NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	finished_at INTEGER,
	options TEXT NOT NULL,
	pause_detail TEXT,
	budget TEXT,
	request TEXT NOT NULL,
	CONSTRAINT pk_sessions PRIMARY KEY (id),
	CONSTRAINT ck_sessions_pause_reason CHECK ((pause_reason = 'checkpoint' OR pause_reason = 'signoff_blocked' OR pause_reason = 'revision_exhausted' OR pause_reason = 'task_failed' OR pause_reason = 'discussion_blocked' OR pause_reason = 'work_question' OR pause_reason = 'plan_approval' OR pause_reason = 'supervision_blocked' OR pause_reason = 'discussion_feedback' OR pause_reason = 'agent_unavailable' OR pause_reason = 'disk' OR pause_reason = 'stalled' OR pause_reason = 'budget' OR pause_reason = 'user')),
	CONSTRAINT ck_sessions_status CHECK ((status = 'active' OR status = 'paused' OR status = 'completed' OR status = 'cancelled')),
	CONSTRAINT ck_sessions_paused_has_reason CHECK ((status = 'paused') = (pause_reason IS NOT NULL)),
	CONSTRAINT ck_sessions_finished CHECK ((status IN ('completed', 'cancelled')) = (finished_at IS NOT NULL)),
	CONSTRAINT ck_sessions_archived CHECK (archived IN (0, 1)),
	CONSTRAINT ck_sessions_needs_beat CHECK (needs_beat IN (0, 1)),
	CONSTRAINT ck_sessions_projected CHECK (projected <= messages)
)
 STRICT;
CREATE INDEX ix_sessions_status ON sessions (status);
CREATE INDEX ix_sessions_unprojected ON sessions (id) WHERE projected < messages;
CREATE TABLE decisions (
	id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	subject TEXT NOT NULL,
	digest TEXT,
	who TEXT NOT NULL,
	words TEXT NOT NULL,
	forced INTEGER DEFAULT 0 NOT NULL,
	at INTEGER NOT NULL,
	CONSTRAINT pk_decisions PRIMARY KEY (id),
	CONSTRAINT ck_decisions_forced CHECK (forced IN (0, 1)),
	CONSTRAINT fk_decisions_session_id FOREIGN KEY(session_id) REFERENCES sessions (id)
)
 STRICT;
CREATE INDEX ix_decisions_session ON decisions (session_id);
CREATE TABLE memory (
	id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	name TEXT NOT NULL,
	author TEXT NOT NULL,
	task_key TEXT,
	data TEXT NOT NULL,
	at INTEGER NOT NULL,
	CONSTRAINT pk_memory PRIMARY KEY (id),
	CONSTRAINT ck_memory_kind CHECK ((kind = 'wisdom' OR kind = 'shared')),
	CONSTRAINT ck_memory_own_field CHECK (kind <> 'shared' OR name = author),
	CONSTRAINT ck_memory_wisdom_file CHECK (kind <> 'wisdom' OR (name = 'learnings' OR name = 'decisions' OR name = 'conventions' OR name = 'issues')),
	CONSTRAINT fk_memory_session_id FOREIGN KEY(session_id) REFERENCES sessions (id)
)
 STRICT;
CREATE INDEX ix_memory_session ON memory (session_id);
CREATE UNIQUE INDEX uq_memory_shared ON memory (session_id, name) WHERE kind = 'shared';
CREATE TABLE messages (
	session_id TEXT NOT NULL,
	number INTEGER NOT NULL,
	kind TEXT NOT NULL,
	at INTEGER NOT NULL,
	sender TEXT NOT NULL,
	recipient TEXT NOT NULL,
	type TEXT NOT NULL,
	known INTEGER DEFAULT 1 NOT NULL,
	summary TEXT NOT NULL,
	ref TEXT,
	data TEXT,
	CONSTRAINT pk_messages PRIMARY KEY (session_id, number),
	CONSTRAINT ck_messages_kind CHECK ((kind = 'message' OR kind = 'event')),
	CONSTRAINT ck_messages_number CHECK (number > 0),
	CONSTRAINT fk_messages_session_id FOREIGN KEY(session_id) REFERENCES sessions (id)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE projections (
	session_id TEXT NOT NULL,
	path TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	CONSTRAINT pk_projections PRIMARY KEY (session_id, path),
	CONSTRAINT fk_projections_session_id FOREIGN KEY(session_id) REFERENCES sessions (id)
)
 STRICT;
CREATE TABLE snapshots (
	session_id TEXT NOT NULL,
	data TEXT NOT NULL,
	CONSTRAINT pk_snapshots PRIMARY KEY (session_id),
	CONSTRAINT fk_snapshots_session_id FOREIGN KEY(session_id) REFERENCES sessions (id)
)
 STRICT;
CREATE TABLE tasks (
	id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	"key" TEXT NOT NULL,
	seq INTEGER NOT NULL,
	role TEXT NOT NULL,
	prefix TEXT NOT NULL,
	phase TEXT NOT NULL,
	round TEXT,
	revision_of TEXT,
	revision_no INTEGER DEFAULT 0 NOT NULL,
	made_for INTEGER DEFAULT 0 NOT NULL,
	checkpoint_after INTEGER DEFAULT 0 NOT NULL,
	status TEXT NOT NULL,
	unmet INTEGER DEFAULT 0 NOT NULL,
	attempts INTEGER DEFAULT 0 NOT NULL,
	max_attempts INTEGER NOT NULL,
	epoch INTEGER DEFAULT 0 NOT NULL,
	priority INTEGER DEFAULT 0 NOT NULL,
	not_before INTEGER,
	limited_by TEXT,
	created_at INTEGER NOT NULL,
	offered_at INTEGER,
	started_at INTEGER,
	finished_at INTEGER,
	payload TEXT NOT NULL,
	error TEXT,
	CONSTRAINT pk_tasks PRIMARY KEY (id),
	CONSTRAINT ck_tasks_finished CHECK ((status = 'completed' OR status = 'skipped' OR status = 'cancelled' OR status = 'failed') = (finished_at IS NOT NULL)),
	CONSTRAINT ck_tasks_status CHECK ((status = 'pending' OR status = 'in_progress' OR status = 'completed' OR status = 'failed' OR status = 'skipped' OR status = 'cancelled')),
	CONSTRAINT ck_tasks_offered_is_ready CHECK (offered_at IS NULL OR (status = 'pending' AND unmet = 0)),
	CONSTRAINT ck_tasks_runs_unblocked CHECK (status <> 'in_progress' OR unmet = 0),
	CONSTRAINT ck_tasks_revision CHECK ((revision_of IS NULL) = (revision_no = 0)),
	CONSTRAINT ck_tasks_attempts CHECK (attempts >= 0 AND attempts <= max_attempts),
	CONSTRAINT ck_tasks_checkpoint_after CHECK (checkpoint_after IN (0, 1)),
	CONSTRAINT ck_tasks_made_for CHECK (made_for IN (0, 1)),
	CONSTRAINT ck_tasks_unmet CHECK (unmet >= 0),
	CONSTRAINT ck_tasks_limited_until CHECK (limited_by IS NULL OR not_before IS NOT NULL),
	CONSTRAINT fk_tasks_session_id FOREIGN KEY(session_id) REFERENCES sessions (id),
	CONSTRAINT uq_tasks_session_id_id UNIQUE (session_id, id),
	CONSTRAINT uq_tasks_session_id_key UNIQUE (session_id, "key")
)
 STRICT;
CREATE INDEX ix_tasks_offered ON tasks (priority DESC, offered_at) WHERE offered_at IS NOT NULL;
CREATE INDEX ix_tasks_ready ON tasks (session_id, offered_at, seq) WHERE status = 'pending' AND unmet = 0;
CREATE TABLE edges (
	task_id INTEGER NOT NULL,
	blocker_id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	CONSTRAINT pk_edges PRIMARY KEY (task_id, blocker_id),
	CONSTRAINT ck_edges_no_self_edge CHECK (task_id <> blocker_id),
	CONSTRAINT fk_edges_blocker FOREIGN KEY(session_id, blocker_id) REFERENCES tasks (session_id, id),
	CONSTRAINT fk_edges_task FOREIGN KEY(session_id, task_id) REFERENCES tasks (session_id, id)
)
 WITHOUT ROWID,
 STRICT;
CREATE INDEX ix_edges_blocker_id ON edges (blocker_id);
CREATE TABLE runs (
	id TEXT NOT NULL,
	session_id TEXT NOT NULL,
	task_id INTEGER NOT NULL,
	epoch INTEGER NOT NULL,
	host TEXT NOT NULL,
	opened_by TEXT NOT NULL,
	loop TEXT NOT NULL,
	lease_until INTEGER NOT NULL,
	opened_at INTEGER NOT NULL,
	closed_at INTEGER,
	outcome TEXT,
	counted INTEGER DEFAULT 0 NOT NULL,
	phase TEXT DEFAULT 'context' NOT NULL,
	agent TEXT,
	error TEXT,
	timings TEXT,
	accumulator TEXT,
	input_digest TEXT,
	produced TEXT,
	produced_at INTEGER,
	CONSTRAINT pk_runs PRIMARY KEY (id),
	CONSTRAINT ck_runs_opened_by CHECK ((opened_by = 'offer' OR opened_by = 'loop' OR opened_by = 'fast')),
	CONSTRAINT ck_runs_outcome CHECK ((outcome = 'completed' OR outcome = 'failed' OR outcome = 'lost' OR outcome = 'released' OR outcome = 'cancelled')),
	CONSTRAINT ck_runs_counted CHECK (counted = 0 OR outcome IN ('failed', 'lost')),
	CONSTRAINT ck_runs_closed CHECK ((outcome IS NULL) = (closed_at IS NULL)),
	CONSTRAINT fk_runs_host FOREIGN KEY(host) REFERENCES hosts (incarnation),
	CONSTRAINT fk_runs_task FOREIGN KEY(session_id, task_id) REFERENCES tasks (session_id, id),
	CONSTRAINT uq_runs_task_id_epoch UNIQUE (task_id, epoch)
)
 STRICT;
CREATE UNIQUE INDEX uq_runs_completed ON runs (task_id) WHERE outcome = 'completed';
CREATE UNIQUE INDEX uq_runs_open ON runs (session_id, task_id) WHERE outcome IS NULL;
CREATE TABLE agent_calls (
	id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	task_id INTEGER NOT NULL,
	run_id TEXT NOT NULL,
	agent TEXT NOT NULL,
	purpose TEXT NOT NULL,
	perspective TEXT,
	prompt_digest TEXT NOT NULL,
	started_at INTEGER NOT NULL,
	finished_at INTEGER,
	outcome TEXT,
	model TEXT,
	tokens_in INTEGER,
	tokens_out INTEGER,
	tokens_cached INTEGER,
	cost_micros INTEGER,
	cost_source TEXT DEFAULT 'unknown' NOT NULL,
	prices_of TEXT,
	metered INTEGER DEFAULT 1 NOT NULL,
	reserved_micros INTEGER,
	reserved_tokens INTEGER,
	retries INTEGER DEFAULT 0 NOT NULL,
	error TEXT, call TEXT, account TEXT,
	CONSTRAINT pk_agent_calls PRIMARY KEY (id),
	CONSTRAINT ck_agent_calls_cost_source CHECK ((cost_source = 'reported' OR cost_source = 'computed' OR cost_source = 'unknown')),
	CONSTRAINT ck_agent_calls_cost_has_source CHECK ((cost_micros IS NULL) = (cost_source = 'unknown')),
	CONSTRAINT ck_agent_calls_computed_has_prices CHECK ((prices_of IS NOT NULL) = (cost_source = 'computed')),
	CONSTRAINT ck_agent_calls_metered CHECK (metered IN (0, 1)),
	CONSTRAINT fk_agent_calls_run_id FOREIGN KEY(run_id) REFERENCES runs (id),
	CONSTRAINT fk_agent_calls_session_id FOREIGN KEY(session_id) REFERENCES sessions (id)
)
 STRICT;
CREATE INDEX ix_agent_calls_history ON agent_calls (agent) WHERE metered = 1 AND finished_at IS NOT NULL;
CREATE INDEX ix_agent_calls_run ON agent_calls (run_id);
CREATE INDEX ix_agent_calls_session ON agent_calls (session_id);
CREATE TABLE artifacts (
	id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	path TEXT NOT NULL,
	version INTEGER NOT NULL,
	sha256 TEXT NOT NULL,
	size INTEGER NOT NULL,
	kind TEXT NOT NULL,
	author TEXT NOT NULL,
	task_id INTEGER,
	run_id TEXT,
	created_at INTEGER NOT NULL,
	CONSTRAINT pk_artifacts PRIMARY KEY (id),
	CONSTRAINT ck_artifacts_version CHECK (version > 0),
	CONSTRAINT fk_artifacts_run_id FOREIGN KEY(run_id) REFERENCES runs (id),
	CONSTRAINT fk_artifacts_session_id FOREIGN KEY(session_id) REFERENCES sessions (id),
	CONSTRAINT fk_artifacts_sha256 FOREIGN KEY(sha256) REFERENCES contents (sha256),
	CONSTRAINT uq_artifacts_session_id_path_version UNIQUE (session_id, path, version)
)
 STRICT;
CREATE TABLE critiques (
	run_id TEXT NOT NULL,
	perspective TEXT NOT NULL,
	agent TEXT NOT NULL,
	reply TEXT NOT NULL,
	notes TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	CONSTRAINT pk_critiques PRIMARY KEY (run_id, perspective),
	CONSTRAINT fk_critiques_run_id FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT;
CREATE TABLE products (
	run_id TEXT NOT NULL,
	path TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	kind TEXT NOT NULL,
	CONSTRAINT pk_products PRIMARY KEY (run_id, path),
	CONSTRAINT fk_products_run_id FOREIGN KEY(run_id) REFERENCES runs (id),
	CONSTRAINT fk_products_sha256 FOREIGN KEY(sha256) REFERENCES contents (sha256)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE verdicts (
	id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	task_id INTEGER NOT NULL,
	run_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	round TEXT,
	consensus TEXT,
	severity TEXT,
	mean REAL,
	gate TEXT,
	score REAL,
	record TEXT,
	data TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	CONSTRAINT pk_verdicts PRIMARY KEY (id),
	CONSTRAINT ck_verdicts_consensus CHECK ((consensus = 'reached' OR consensus = 'blocked')),
	CONSTRAINT ck_verdicts_gate CHECK ((gate = 'PASS' OR gate = 'REVIEW' OR gate = 'FAIL')),
	CONSTRAINT ck_verdicts_kind CHECK ((kind = 'discuss' OR kind = 'gate' OR kind = 'test' OR kind = 'review')),
	CONSTRAINT ck_verdicts_severity CHECK ((severity = 'HIGH' OR severity = 'MEDIUM' OR severity = 'LOW')),
	CONSTRAINT fk_verdicts_run_id FOREIGN KEY(run_id) REFERENCES runs (id),
	CONSTRAINT fk_verdicts_session_id FOREIGN KEY(session_id) REFERENCES sessions (id),
	CONSTRAINT uq_verdicts_run_id_kind UNIQUE (run_id, kind)
)
 STRICT;
CREATE INDEX ix_verdicts_session ON verdicts (session_id);
CREATE TABLE findings (
	verdict_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	kind TEXT NOT NULL,
	severity TEXT,
	perspective TEXT,
	text TEXT NOT NULL,
	CONSTRAINT pk_findings PRIMARY KEY (verdict_id, number),
	CONSTRAINT fk_findings_verdict_id FOREIGN KEY(verdict_id) REFERENCES verdicts (id)
)
 STRICT;
CREATE INDEX ix_sessions_needs_beat ON sessions (id) WHERE needs_beat = 1;
CREATE TABLE works (
	session_id TEXT NOT NULL,
	origin TEXT NOT NULL,
	base TEXT NOT NULL,
	head TEXT NOT NULL,
	commits INTEGER DEFAULT 0 NOT NULL,
	tickets INTEGER DEFAULT 0 NOT NULL,
	branch TEXT,
	published TEXT,
	created_at INTEGER NOT NULL,
	CONSTRAINT pk_works PRIMARY KEY (session_id),
	CONSTRAINT ck_works_origin CHECK ((origin = 'repository' OR origin = 'snapshot')),
	CONSTRAINT ck_works_published CHECK ((branch IS NULL) = (published IS NULL)),
	CONSTRAINT ck_works_head_without_commits CHECK ((commits = 0) <= (head = base)),
	CONSTRAINT ck_works_base CHECK (length(base) IN (40, 64)),
	CONSTRAINT ck_works_head CHECK (length(head) IN (40, 64)),
	CONSTRAINT fk_works_session_id FOREIGN KEY(session_id) REFERENCES sessions (id)
)
 STRICT;
CREATE TABLE candidates (
	id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	task_id INTEGER NOT NULL,
	run_id TEXT NOT NULL,
	input_digest TEXT NOT NULL,
	base TEXT NOT NULL,
	commit_id TEXT NOT NULL,
	tree_id TEXT NOT NULL,
	flags TEXT NOT NULL,
	ticket INTEGER,
	created_at INTEGER NOT NULL,
	CONSTRAINT pk_candidates PRIMARY KEY (id),
	CONSTRAINT ck_candidates_base CHECK (length(base) IN (40, 64)),
	CONSTRAINT ck_candidates_commit CHECK (length(commit_id) IN (40, 64)),
	CONSTRAINT ck_candidates_tree CHECK (length(tree_id) IN (40, 64)),
	CONSTRAINT ck_candidates_ticket CHECK (ticket > 0),
	CONSTRAINT fk_candidates_run_id FOREIGN KEY(run_id) REFERENCES runs (id),
	CONSTRAINT fk_candidates_task FOREIGN KEY(session_id, task_id) REFERENCES tasks (session_id, id),
	CONSTRAINT fk_candidates_session_id FOREIGN KEY(session_id) REFERENCES works (session_id),
	CONSTRAINT uq_candidates_run_id_commit_id UNIQUE (run_id, commit_id),
	CONSTRAINT uq_candidates_session_id_ticket UNIQUE (session_id, ticket)
)
 STRICT;
CREATE INDEX ix_candidates_task ON candidates (task_id);
CREATE TABLE commits (
	session_id TEXT NOT NULL,
	number INTEGER NOT NULL,
	commit_id TEXT NOT NULL,
	parent TEXT NOT NULL,
	tree_id TEXT NOT NULL,
	author TEXT NOT NULL,
	run_id TEXT,
	created_at INTEGER NOT NULL,
	CONSTRAINT pk_commits PRIMARY KEY (session_id, number),
	CONSTRAINT ck_commits_author CHECK ((author = 'run' OR author = 'user')),
	CONSTRAINT ck_commits_author_has_run CHECK ((author = 'run') = (run_id IS NOT NULL)),
	CONSTRAINT ck_commits_parent CHECK (commit_id <> parent),
	CONSTRAINT ck_commits_commit CHECK (length(commit_id) IN (40, 64)),
	CONSTRAINT ck_commits_tree CHECK (length(tree_id) IN (40, 64)),
	CONSTRAINT ck_commits_number CHECK (number > 0),
	CONSTRAINT fk_commits_run_id FOREIGN KEY(run_id) REFERENCES runs (id),
	CONSTRAINT fk_commits_session_id FOREIGN KEY(session_id) REFERENCES works (session_id),
	CONSTRAINT uq_commits_session_id_commit_id UNIQUE (session_id, commit_id),
	CONSTRAINT uq_commits_session_id_parent UNIQUE (session_id, parent)
)
 STRICT;
CREATE INDEX ix_commits_run ON commits (run_id);
CREATE TABLE trees (
	id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	lane INTEGER NOT NULL,
	generation INTEGER NOT NULL,
	nonce TEXT NOT NULL,
	folder BLOB NOT NULL,
	state TEXT NOT NULL,
	chain TEXT NOT NULL,
	run_id TEXT NOT NULL,
	base TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	retired_at INTEGER,
	removed_at INTEGER,
	CONSTRAINT pk_trees PRIMARY KEY (id),
	CONSTRAINT ck_trees_retired CHECK ((retired_at IS NOT NULL) = (state IN ('retired', 'trash'))),
	CONSTRAINT ck_trees_state CHECK ((state = 'making' OR state = 'live' OR state = 'retired' OR state = 'trash')),
	CONSTRAINT ck_trees_removed CHECK (removed_at IS NULL OR state = 'trash'),
	CONSTRAINT ck_trees_numbers CHECK (lane >= 0 AND generation > 0),
	CONSTRAINT ck_trees_base CHECK (length(base) IN (40, 64)),
	CONSTRAINT ck_trees_nonce CHECK (length(nonce) = 32),
	CONSTRAINT fk_trees_run_id FOREIGN KEY(run_id) REFERENCES runs (id),
	CONSTRAINT fk_trees_session_id FOREIGN KEY(session_id) REFERENCES works (session_id),
	CONSTRAINT uq_trees_nonce UNIQUE (nonce),
	CONSTRAINT uq_trees_session_id_lane_generation UNIQUE (session_id, lane, generation)
)
 STRICT;
CREATE INDEX ix_trees_left ON trees (session_id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX uq_trees_in_use ON trees (session_id, lane) WHERE state = 'making' OR state = 'live';
CREATE TABLE checks (
	id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	tree_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	"key" TEXT NOT NULL,
	outcome TEXT NOT NULL,
	data TEXT NOT NULL,
	run_id TEXT NOT NULL,
	seconds REAL NOT NULL,
	created_at INTEGER NOT NULL,
	CONSTRAINT pk_checks PRIMARY KEY (id),
	CONSTRAINT ck_checks_outcome CHECK ((outcome = 'passed' OR outcome = 'failed' OR outcome = 'unverified')),
	CONSTRAINT ck_checks_tree_id CHECK (length(tree_id) IN (40, 64)),
	CONSTRAINT ck_checks_seconds CHECK (seconds >= 0),
	CONSTRAINT fk_checks_run_id FOREIGN KEY(run_id) REFERENCES runs (id),
	CONSTRAINT fk_checks_session_id FOREIGN KEY(session_id) REFERENCES works (session_id),
	CONSTRAINT uq_checks_session_id_tree_id_kind_key UNIQUE (session_id, tree_id, kind, "key")
)
 STRICT;
CREATE INDEX ix_checks_run ON checks (run_id);
CREATE TABLE links (
	id INTEGER NOT NULL,
	session_id TEXT NOT NULL,
	from_kind TEXT NOT NULL,
	from_id TEXT NOT NULL,
	from_digest TEXT,
	to_kind TEXT NOT NULL,
	to_id TEXT NOT NULL,
	to_digest TEXT,
	how TEXT NOT NULL,
	verified INTEGER NOT NULL,
	check_id INTEGER,
	run_id TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	CONSTRAINT pk_links PRIMARY KEY (id),
	CONSTRAINT ck_links_verified_by_check CHECK (verified = 0 OR check_id IS NOT NULL),
	CONSTRAINT ck_links_verified CHECK (verified IN (0, 1)),
	CONSTRAINT fk_links_check_id FOREIGN KEY(check_id) REFERENCES checks (id),
	CONSTRAINT fk_links_run_id FOREIGN KEY(run_id) REFERENCES runs (id),
	CONSTRAINT fk_links_session_id FOREIGN KEY(session_id) REFERENCES works (session_id),
	CONSTRAINT uq_links_session_id_from_kind_from_id_to_kind_to_id_how_run_id UNIQUE (session_id, from_kind, from_id, to_kind, to_id, how, run_id)
)
 STRICT;
CREATE INDEX ix_links_to ON links (session_id, to_kind, to_id);
CREATE INDEX ix_sessions_created ON sessions (created_at, id);
CREATE INDEX ix_commands_at ON commands (at);
CREATE INDEX ix_messages_notices ON messages (at) WHERE type = 'paused' OR type = 'completed';
CREATE TABLE host_tokens (
	name TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	roles TEXT NOT NULL,
	slots INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	revoked_at INTEGER,
	CONSTRAINT pk_host_tokens PRIMARY KEY (name),
	CONSTRAINT ck_host_tokens_sha256 CHECK (length(sha256) = 64),
	CONSTRAINT ck_host_tokens_slots CHECK (slots > 0),
	CONSTRAINT ck_host_tokens_name CHECK (name <> ''),
	CONSTRAINT uq_host_tokens_sha256 UNIQUE (sha256)
)
 STRICT;
CREATE UNIQUE INDEX uq_agent_calls_call ON agent_calls (run_id, call) WHERE call IS NOT NULL;
CREATE TABLE engines (
	address TEXT NOT NULL,
	queues TEXT NOT NULL,
	version TEXT,
	since_at INTEGER NOT NULL,
	why TEXT NOT NULL,
	CONSTRAINT pk_engines PRIMARY KEY (address),
	CONSTRAINT ck_engines_address CHECK (address <> ''),
	CONSTRAINT ck_engines_why CHECK (length(why) <= 500)
)
 STRICT;
CREATE TABLE custody (
	session_id TEXT NOT NULL,
	epoch INTEGER NOT NULL,
	state TEXT NOT NULL,
	peer TEXT NOT NULL,
	messages INTEGER NOT NULL,
	at INTEGER NOT NULL,
	CONSTRAINT pk_custody PRIMARY KEY (session_id),
	CONSTRAINT ck_custody_epoch CHECK (epoch > 0),
	CONSTRAINT ck_custody_state CHECK (state IN ('here', 'leaving', 'coming', 'gone'))
)
 STRICT;
CREATE TABLE residents (
	session_id TEXT NOT NULL,
	cell TEXT NOT NULL,
	epoch INTEGER NOT NULL,
	CONSTRAINT pk_residents PRIMARY KEY (session_id)
)
 STRICT;
CREATE TABLE cells (
	name TEXT NOT NULL,
	state TEXT NOT NULL,
	at INTEGER NOT NULL,
	CONSTRAINT pk_cells PRIMARY KEY (name),
	CONSTRAINT ck_cells_state CHECK (state IN ('open', 'draining', 'drained', 'retired'))
)
 STRICT;
CREATE TABLE person_tokens (
	name TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	revoked_at INTEGER,
	CONSTRAINT pk_person_tokens PRIMARY KEY (name),
	CONSTRAINT ck_person_tokens_sha256 CHECK (length(sha256) = 64),
	CONSTRAINT ck_person_tokens_name CHECK (name <> ''),
	CONSTRAINT uq_person_tokens_sha256 UNIQUE (sha256)
)
 STRICT;
CREATE INDEX ix_messages_edit_conflicts ON messages (session_id, number) WHERE type = 'edit_conflict' OR type = 'edit_conflict_settled';
CREATE TABLE audit (
	id INTEGER NOT NULL,
	at INTEGER NOT NULL,
	what TEXT NOT NULL,
	name TEXT NOT NULL,
	who TEXT NOT NULL,
	detail TEXT NOT NULL,
	CONSTRAINT pk_audit PRIMARY KEY (id),
	CONSTRAINT ck_audit_what CHECK ((what = 'added' OR what = 'revoked' OR what = 'joined' OR what = 'refused'))
)
 STRICT;
CREATE TABLE agent_tokens (
	run_id TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	CONSTRAINT pk_agent_tokens PRIMARY KEY (run_id, sha256),
	CONSTRAINT ck_agent_tokens_sha256 CHECK (length(sha256) = 64),
	CONSTRAINT fk_agent_tokens_run_id FOREIGN KEY(run_id) REFERENCES runs (id)
)
 WITHOUT ROWID,
 STRICT;
INSERT INTO alembic_version VALUES ('0011');
COMMIT;
