-- Components, sessions, what was typed in them, recordings and where they are stored.

-- ---------------------------------------------------------------- components
CREATE TABLE terminal_terminal (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  type text NOT NULL DEFAULT 'koko',
  remote_addr text NOT NULL DEFAULT '',
  http_port integer NOT NULL DEFAULT 5000,
  ssh_port integer NOT NULL DEFAULT 2222,
  command_storage text NOT NULL DEFAULT 'default',
  replay_storage text NOT NULL DEFAULT 'default',
  is_accepted boolean NOT NULL DEFAULT false,
  -- Part of this server, so it needs no service account.
  is_builtin boolean NOT NULL DEFAULT false,
  user_id uuid REFERENCES users_user (id) ON DELETE SET NULL,
  comment text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT now(),
  -- The last heartbeat and its figures.
  date_last_seen timestamptz,
  cpu_load double precision NOT NULL DEFAULT 0,
  memory_used double precision NOT NULL DEFAULT 0,
  disk_used double precision NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX terminal_terminal__type__name__unique ON terminal_terminal (type, name) WHERE is_builtin;
CREATE UNIQUE INDEX terminal_terminal__user_id__unique ON terminal_terminal (user_id);

-- Orders to components.
CREATE TABLE terminal_task (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  args text NOT NULL,
  kwargs jsonb NOT NULL DEFAULT '{}',
  is_finished boolean NOT NULL DEFAULT false,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_finished timestamptz,
  terminal uuid REFERENCES terminal_terminal (id) ON DELETE CASCADE
);
CREATE INDEX terminal_task__open ON terminal_task (terminal, date_created) WHERE NOT is_finished;
CREATE INDEX terminal_task__args ON terminal_task (args);

-- The private key that this installation's SSH entry shows to clients: one for all nodes, made when
-- first asked for.
CREATE TABLE terminal_host_key (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  private_key_sealed bytea NOT NULL
);

-- ---------------------------------------------------------------- storages
-- Where commands and recordings go. Two rows of each are built in: kept by the server, and not kept.
-- `meta` says where a storage outside is, with its secrets sealed one by one, by the shape of its type.
CREATE TABLE terminal_command_storage (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  type text NOT NULL DEFAULT 'server',
  meta jsonb NOT NULL DEFAULT '{}',
  is_default boolean NOT NULL DEFAULT false,
  comment text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX terminal_command_storage__name__unique ON terminal_command_storage (name);
CREATE UNIQUE INDEX terminal_command_storage__is_default__unique
  ON terminal_command_storage (is_default) WHERE is_default;
INSERT INTO terminal_command_storage (name, type, is_default)
  VALUES ('default', 'server', true), ('null', 'null', false);

CREATE TABLE terminal_replay_storage (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  type text NOT NULL DEFAULT 'server',
  meta jsonb NOT NULL DEFAULT '{}',
  is_default boolean NOT NULL DEFAULT false,
  comment text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX terminal_replay_storage__name__unique ON terminal_replay_storage (name);
CREATE UNIQUE INDEX terminal_replay_storage__is_default__unique
  ON terminal_replay_storage (is_default) WHERE is_default;
INSERT INTO terminal_replay_storage (name, type, is_default)
  VALUES ('default', 'server', true), ('null', 'null', false);

-- ---------------------------------------------------------------- sessions
CREATE TABLE terminal_session (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  "user" text NOT NULL,
  asset text NOT NULL,
  "system_user" text NOT NULL,
  -- Texts without foreign keys: a session outlives whom and what it names.
  user_id text NOT NULL DEFAULT '',
  asset_id text NOT NULL DEFAULT '',
  -- Which family of targets `asset_id` is of, see packages/contract/src/target.ts.
  target_family text NOT NULL DEFAULT 'asset',
  system_user_id text NOT NULL DEFAULT '',
  login_from text NOT NULL DEFAULT 'ST',
  remote_addr text,
  -- What the person was signed in with as the session began.
  sign_in_id uuid,
  protocol text NOT NULL DEFAULT 'ssh',
  is_success boolean NOT NULL DEFAULT true,
  is_finished boolean NOT NULL DEFAULT false,
  -- Nobody may type, by order of an administrator or auditor.
  is_locked boolean NOT NULL DEFAULT false,
  date_start timestamptz NOT NULL DEFAULT now(),
  date_end timestamptz,
  -- The lease: renewed by heartbeats while the session lives.
  date_last_active timestamptz NOT NULL DEFAULT now(),
  terminal uuid REFERENCES terminal_terminal (id) ON DELETE SET NULL,

  has_replay boolean NOT NULL DEFAULT false,
  -- What a recording's file ends in says of what kind it is; null where nobody has looked yet. A log
  -- of statements cannot be played, only downloaded.
  replay_suffix text,
  -- SHA-256 as text: what its file must still say. NULL until it is known.
  replay_sha256 text,
  -- Where a recording is, when not with the server; and where it is still to be brought.
  replay_storage uuid REFERENCES terminal_replay_storage (id),
  replay_due uuid REFERENCES terminal_replay_storage (id)
);
CREATE INDEX terminal_session__org_id__date_start ON terminal_session (org_id, date_start DESC, id DESC);
CREATE INDEX terminal_session__date_start ON terminal_session (date_start DESC, id DESC);
-- Live sessions are few and asked for all the time (online tab, dashboard, limits, sweep).
CREATE INDEX terminal_session__live ON terminal_session (org_id, date_start DESC, id DESC) WHERE NOT is_finished;
CREATE INDEX terminal_session__live_user_id ON terminal_session (user_id) WHERE NOT is_finished;
CREATE INDEX terminal_session__live_asset_id ON terminal_session (asset_id) WHERE NOT is_finished;
CREATE INDEX terminal_session__user_id ON terminal_session (user_id, date_start DESC);
CREATE INDEX terminal_session__asset_id ON terminal_session (asset_id, date_start DESC);
CREATE INDEX terminal_session__sign_in_id ON terminal_session (sign_in_id) WHERE sign_in_id IS NOT NULL;
CREATE INDEX terminal_session__search
  ON terminal_session USING gin (
    "user" gin_trgm_ops, asset gin_trgm_ops, "system_user" gin_trgm_ops, remote_addr gin_trgm_ops,
    protocol gin_trgm_ops, login_from gin_trgm_ops
  );
CREATE INDEX terminal_session__replay_storage ON terminal_session (replay_storage) WHERE replay_storage IS NOT NULL;
CREATE INDEX terminal_session__replay_due ON terminal_session (replay_due, terminal) WHERE replay_due IS NOT NULL;

-- What happened to a session besides what was typed in it: lines that broke, re-attachments, locks,
-- its end.
CREATE TABLE terminal_session_event (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  session uuid NOT NULL REFERENCES terminal_session (id) ON DELETE CASCADE,
  event text NOT NULL,
  -- Name(username) of who caused it; empty where nobody did.
  "user" text NOT NULL DEFAULT '',
  remote_addr text,
  reason text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX terminal_session_event__session ON terminal_session_event (session, date_created, id);
CREATE INDEX terminal_session_event__org_id ON terminal_session_event (org_id, date_created DESC, id DESC);
CALL kernel_guard_organization('terminal_session_event', 'session', 'terminal_session');

-- Sharing a running session by link and code, and who joined or tried to.
CREATE TABLE terminal_session_sharing (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  session uuid NOT NULL REFERENCES terminal_session (id) ON DELETE CASCADE,
  creator uuid REFERENCES users_user (id) ON DELETE SET NULL,
  verify_code text NOT NULL,
  action_permission text NOT NULL DEFAULT 'writable',
  is_active boolean NOT NULL DEFAULT true,
  -- Minutes from its making.
  expired_time integer NOT NULL DEFAULT 0,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX terminal_session_sharing__session ON terminal_session_sharing (session);
CREATE INDEX terminal_session_sharing__creator ON terminal_session_sharing (creator);
CREATE INDEX terminal_session_sharing__org_id ON terminal_session_sharing (org_id, date_created DESC, id DESC);
CALL kernel_guard_organization('terminal_session_sharing', 'session', 'terminal_session');

CREATE TABLE terminal_session_join_record (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  session uuid REFERENCES terminal_session (id) ON DELETE CASCADE,
  sharing uuid NOT NULL REFERENCES terminal_session_sharing (id) ON DELETE CASCADE,
  joiner uuid REFERENCES users_user (id) ON DELETE SET NULL,
  -- Name(username); outlives the person.
  joiner_display text NOT NULL DEFAULT '',
  verify_code text NOT NULL,
  remote_addr text,
  login_from text NOT NULL DEFAULT 'WT',
  is_success boolean NOT NULL DEFAULT true,
  reason text DEFAULT '-',
  is_finished boolean NOT NULL DEFAULT false,
  date_joined timestamptz NOT NULL DEFAULT now(),
  date_left timestamptz,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX terminal_session_join_record__session ON terminal_session_join_record (session);
CREATE INDEX terminal_session_join_record__sharing ON terminal_session_join_record (sharing);
CREATE INDEX terminal_session_join_record__joiner ON terminal_session_join_record (joiner);
CREATE INDEX terminal_session_join_record__org_id ON terminal_session_join_record (org_id, date_joined DESC, id DESC);
CALL kernel_guard_organization('terminal_session_join_record', 'session', 'terminal_session');

-- ---------------------------------------------------------------- commands
CREATE TABLE terminal_command (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  "user" text NOT NULL,
  asset text NOT NULL,
  "system_user" text NOT NULL,
  input text NOT NULL,
  output text NOT NULL DEFAULT '',
  session text NOT NULL,
  risk_level integer NOT NULL DEFAULT 0 CHECK (risk_level IN (0, 5)),
  -- The rule and the ticket that decided. Rules, filters and tickets come and go: the row keeps what
  -- was so at its time.
  rule uuid,
  rule_filter text,
  ticket uuid,
  timestamp bigint NOT NULL,
  -- The storage that it is still to be brought to; it is with the server until then.
  due uuid REFERENCES terminal_command_storage (id)
);
CREATE INDEX terminal_command__session ON terminal_command (session, timestamp DESC, id DESC);
CREATE INDEX terminal_command__timestamp ON terminal_command (timestamp DESC, id DESC);
CREATE INDEX terminal_command__input ON terminal_command USING gin (input gin_trgm_ops);
CREATE INDEX terminal_command__ticket ON terminal_command (ticket) WHERE ticket IS NOT NULL;
CREATE INDEX terminal_command__due ON terminal_command (due, timestamp) WHERE due IS NOT NULL;
-- Pages and counts from an index alone, however many commands there are: of an organization, newest
-- first; and of dangerous ones, which are few and far between, so that each would be a page of the
-- table to read.
CREATE INDEX terminal_command__newest ON terminal_command (org_id, timestamp DESC, id DESC) WHERE due IS NULL;
CREATE INDEX terminal_command__risky ON terminal_command (timestamp DESC, id DESC)
  INCLUDE (org_id, "user", asset, "system_user", input, session, risk_level, ticket, due) WHERE risk_level = 5;
-- Commands of a person, of a machine, of an account, among millions: pages are in the order of time,
-- which these do not need to have (domains/terminal/commands/stored-commands.ts). Without it equal
-- values share a place: some 7 bytes a row.
CREATE INDEX terminal_command__user ON terminal_command (lower("user") text_pattern_ops);
CREATE INDEX terminal_command__asset ON terminal_command (asset);
CREATE INDEX terminal_command__system_user ON terminal_command ("system_user");
-- A sample of a thousand instead of a hundred: how often a text or a person comes is estimated by it.
ALTER TABLE terminal_command ALTER COLUMN input SET STATISTICS 1000;
-- An index answers alone for pages that vacuum has seen; by default that waits for a fifth of all
-- rows to be new.
ALTER TABLE terminal_command
  SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000);

-- What there is to a statement of a database session beyond its row among the commands, whose text is
-- cut.
CREATE TABLE terminal_statement (
  command uuid PRIMARY KEY REFERENCES terminal_command (id) ON DELETE CASCADE,
  text text NOT NULL,
  bytes bigint NOT NULL,
  sha256 text NOT NULL DEFAULT '',
  milliseconds double precision,
  rows bigint,
  error text,
  code text,
  database text NOT NULL DEFAULT '',
  program text NOT NULL DEFAULT ''
);
CREATE INDEX terminal_statement__text ON terminal_statement USING gin (text gin_trgm_ops);

-- ---------------------------------------------------------------- recordings that are moved
-- From one storage to another, by a background task.
CREATE TABLE terminal_recording_move (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  source uuid NOT NULL REFERENCES terminal_replay_storage (id) ON DELETE CASCADE,
  target uuid NOT NULL REFERENCES terminal_replay_storage (id) ON DELETE CASCADE,
  -- Sessions that began in this time; null without a limit.
  date_from timestamptz,
  date_to timestamptz,
  rate_limit integer NOT NULL DEFAULT 20,
  -- The background task that carries it out now, or did last.
  task uuid NOT NULL DEFAULT gen_random_uuid(),
  amount integer NOT NULL DEFAULT 0,
  moved integer NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  -- Why it ended before its end; null while it runs, and once all was tried.
  reason text,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_finished timestamptz
);
CREATE INDEX terminal_recording_move__source ON terminal_recording_move (source);
CREATE INDEX terminal_recording_move__target ON terminal_recording_move (target);
CREATE INDEX terminal_recording_move__task ON terminal_recording_move (task);

-- What is left to do of a move, by session: a row goes once nothing is.
CREATE TABLE terminal_recording_move_item (
  move uuid NOT NULL REFERENCES terminal_recording_move (id) ON DELETE CASCADE,
  session uuid NOT NULL REFERENCES terminal_session (id) ON DELETE CASCADE,
  -- waiting; moved, while the source still has it; failed, and why.
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'moved', 'failed')),
  reason text,
  date_moved timestamptz,
  PRIMARY KEY (move, session)
);
CREATE INDEX terminal_recording_move_item__session ON terminal_recording_move_item (session);
CREATE INDEX terminal_recording_move_item__state ON terminal_recording_move_item (move, state, session);

-- ---------------------------------------------------------------- what is chained of a session
-- Of a session, of a link to it and of who joined by it (audits_tables). Dates are written as in UTC
-- by whoever calls these. What a row refers to comes last, by name: it is emptied where that is
-- deleted, which is no change. Codes are not chained. deploy/audit/verify-audits.mjs has the same
-- expressions of its own, as a verifier must not ask the database for them.
CREATE FUNCTION terminal_session_content(s terminal_session) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(s.id, s.org_id, s."user", s.asset, s.system_user, s.user_id, s.asset_id, s.target_family,
      s.system_user_id, s.login_from, s.date_start, s.sign_in_id)
    || CASE WHEN s.is_finished THEN jsonb_build_array(s.is_success, s.protocol, s.remote_addr, s.date_end, s.has_replay,
      s.replay_sha256) ELSE '[]' END
    || jsonb_build_array(jsonb_build_object('terminal', s.terminal)))::text
$$;
CREATE FUNCTION terminal_sharing_content(s terminal_session_sharing) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(s.id, s.org_id, s.session, s.created_by, s.action_permission, s.expired_time, s.date_created,
    jsonb_build_object('creator', s.creator))::text
$$;
CREATE FUNCTION terminal_join_content(j terminal_session_join_record) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(j.id, j.org_id, j.session, j.sharing, j.joiner_display, j.remote_addr, j.login_from, j.date_joined)
    || CASE WHEN j.is_finished THEN jsonb_build_array(j.is_success, j.reason, j.date_left) ELSE '[]' END
    || jsonb_build_array(jsonb_build_object('joiner', j.joiner)))::text
$$;

-- ---------------------------------------------------------------- what other domains may read
-- The tables themselves are private to terminal.

CREATE VIEW terminal_listed_session AS
  SELECT id, org_id, "user", user_id, asset, asset_id, system_user, system_user_id, login_from, protocol, is_finished,
    date_start, date_end, target_family
  FROM terminal_session;
