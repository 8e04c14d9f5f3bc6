-- Components, sessions, what was typed in them, and orders to components (contract/terminal.yaml).

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
  -- The last heartbeat and what it told.
  date_last_seen timestamptz,
  cpu_load double precision NOT NULL DEFAULT 0,
  memory_used double precision NOT NULL DEFAULT 0,
  disk_used double precision NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX terminal_terminal__type__name__unique ON terminal_terminal (type, name) WHERE is_builtin;
CREATE UNIQUE INDEX terminal_terminal__user_id__unique ON terminal_terminal (user_id);

CREATE TABLE terminal_session (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  "user" text NOT NULL,
  asset text NOT NULL,
  "system_user" text NOT NULL,
  -- Texts without foreign keys: a session outlives whom and what it names.
  user_id text NOT NULL DEFAULT '',
  asset_id text NOT NULL DEFAULT '',
  system_user_id text NOT NULL DEFAULT '',
  login_from text NOT NULL DEFAULT 'ST',
  remote_addr text,
  protocol text NOT NULL DEFAULT 'ssh',
  is_success boolean NOT NULL DEFAULT true,
  is_finished boolean NOT NULL DEFAULT false,
  has_replay boolean NOT NULL DEFAULT false,
  date_start timestamptz NOT NULL DEFAULT now(),
  date_end timestamptz,
  -- The lease: renewed by heartbeats while the session lives.
  date_last_active timestamptz NOT NULL DEFAULT now(),
  terminal uuid REFERENCES terminal_terminal (id) ON DELETE SET NULL
);
CREATE INDEX terminal_session__org_id__date_start ON terminal_session (org_id, date_start DESC, id DESC);
CREATE INDEX terminal_session__date_start ON terminal_session (date_start DESC, id DESC);
-- Live sessions are few and asked for all the time (online tab, dashboard, limits, sweep).
CREATE INDEX terminal_session__live ON terminal_session (org_id, date_start DESC, id DESC) WHERE NOT is_finished;
CREATE INDEX terminal_session__live_user_id ON terminal_session (user_id) WHERE NOT is_finished;
CREATE INDEX terminal_session__live_asset_id ON terminal_session (asset_id) WHERE NOT is_finished;
CREATE INDEX terminal_session__user_id ON terminal_session (user_id, date_start DESC);
CREATE INDEX terminal_session__asset_id ON terminal_session (asset_id, date_start DESC);
CREATE INDEX terminal_session__search ON terminal_session USING gin ("user" gin_trgm_ops, asset gin_trgm_ops, "system_user" gin_trgm_ops, remote_addr gin_trgm_ops, protocol gin_trgm_ops, login_from gin_trgm_ops);

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
  timestamp bigint NOT NULL
);
CREATE INDEX terminal_command__session ON terminal_command (session, timestamp DESC, id DESC);
CREATE INDEX terminal_command__org_id__timestamp ON terminal_command (org_id, timestamp DESC, id DESC);
CREATE INDEX terminal_command__timestamp ON terminal_command (timestamp DESC, id DESC);
CREATE INDEX terminal_command__input ON terminal_command USING gin (input gin_trgm_ops);
CREATE INDEX terminal_command__dangerous ON terminal_command (org_id, timestamp DESC) WHERE risk_level = 5;

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

-- Where commands and recordings go. The two rows of each are built in; other kinds come with the storage pages.
CREATE TABLE terminal_command_storage (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  type text NOT NULL DEFAULT 'server',
  is_default boolean NOT NULL DEFAULT false,
  comment text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX terminal_command_storage__name__unique ON terminal_command_storage (name);
INSERT INTO terminal_command_storage (name, type, is_default) VALUES ('default', 'server', true), ('null', 'null', false);
CREATE TABLE terminal_replay_storage (LIKE terminal_command_storage INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
ALTER TABLE terminal_replay_storage ADD PRIMARY KEY (id);
CREATE UNIQUE INDEX terminal_replay_storage__name__unique ON terminal_replay_storage (name);
INSERT INTO terminal_replay_storage (name, type, is_default) VALUES ('default', 'server', true), ('null', 'null', false);

-- The private key that this installation's SSH entry shows to clients: one for all nodes, made when first asked for.
CREATE TABLE terminal_host_key (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  private_key_sealed bytea NOT NULL
);
