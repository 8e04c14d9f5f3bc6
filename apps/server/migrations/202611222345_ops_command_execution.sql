-- Batch commands: one command on many machines, and what became of it on each.
CREATE TABLE ops_command_execution (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- Name(username) at that time.
  "user" text NOT NULL DEFAULT '',
  remote_addr text NOT NULL DEFAULT '',
  run_as uuid NOT NULL,
  run_as_display text NOT NULL DEFAULT '',
  command text NOT NULL,
  -- Why nothing ran anywhere.
  error text NOT NULL DEFAULT '',
  is_finished boolean NOT NULL DEFAULT false,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_finished timestamptz
);
CREATE INDEX ops_command_execution__user ON ops_command_execution (user_id, date_created DESC);
CREATE INDEX ops_command_execution__org ON ops_command_execution (org_id, date_created DESC);

CREATE TABLE ops_command_execution_host (
  execution uuid NOT NULL REFERENCES ops_command_execution (id) ON DELETE CASCADE,
  asset uuid NOT NULL,
  -- Host name at that time.
  name text NOT NULL DEFAULT '',
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'success', 'failed', 'skipped')),
  code integer,
  stdout text NOT NULL DEFAULT '',
  stderr text NOT NULL DEFAULT '',
  is_cut boolean NOT NULL DEFAULT false,
  error text NOT NULL DEFAULT '',
  milliseconds integer,
  -- The same on machines that answered alike; empty where nothing was written.
  output text GENERATED ALWAYS AS (CASE WHEN code IS NULL AND stdout = '' AND stderr = '' THEN ''
    ELSE md5(stdout || E'\n--\n' || stderr || CASE WHEN is_cut THEN '+' ELSE '' END) END) STORED,
  PRIMARY KEY (execution, asset)
);
