-- Work on machines: background tasks and their output, tasks and their runs, batch commands, and
-- runbooks.

-- ---------------------------------------------------------------- background tasks
-- Those that people started, and what they printed.
CREATE TABLE ops_background_task (
  -- The id of the queue's job.
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  -- Who started it; nobody when the server did.
  user_id uuid REFERENCES users_user (id) ON DELETE SET NULL,
  name text NOT NULL,
  state text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'STARTED', 'SUCCESS', 'FAILURE')),
  result jsonb,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_started timestamptz,
  date_finished timestamptz
);
CREATE INDEX ops_background_task__date_created ON ops_background_task (date_created);

-- In the database rather than in files: the node that answers for a log need not be the one that ran
-- the task.
CREATE TABLE ops_task_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task uuid NOT NULL REFERENCES ops_background_task (id) ON DELETE CASCADE,
  data text NOT NULL
);
CREATE INDEX ops_task_log__task ON ops_task_log (task, id);

-- ---------------------------------------------------------------- tasks
-- Tasks that the server carries out on machines, their versions, and what became of each run.
CREATE TABLE ops_task (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  name text NOT NULL,
  is_periodic boolean NOT NULL DEFAULT false,
  crontab text,
  -- Hours.
  interval integer DEFAULT 24,
  date_next_run timestamptz,
  comment text NOT NULL DEFAULT '',
  runs integer NOT NULL DEFAULT 0,
  successes integer NOT NULL DEFAULT 0,
  latest_execution uuid,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX ops_task__name__unique ON ops_task (org_id, name);
CREATE INDEX ops_task__date_updated ON ops_task (org_id, date_updated DESC, id);
CREATE INDEX ops_task__due ON ops_task (date_next_run) WHERE is_periodic;

CREATE TABLE ops_adhoc (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  task uuid NOT NULL REFERENCES ops_task (id) ON DELETE CASCADE,
  -- The work, as the code names it, and what it needs to know besides the machines.
  kind text NOT NULL,
  data jsonb NOT NULL DEFAULT '{}',
  -- Steps as people read them.
  tasks jsonb NOT NULL DEFAULT '[]',
  pattern text NOT NULL DEFAULT 'all',
  options text NOT NULL DEFAULT '',
  run_as text,
  run_as_admin boolean NOT NULL DEFAULT false,
  -- As whom the steps run once logged in, as `{"method", "user", "pass"}`; empty for nobody else.
  become_sealed bytea,
  become_display text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ops_adhoc__task ON ops_adhoc (task, date_created DESC, id DESC);
CALL kernel_guard_organization('ops_adhoc', 'task', 'ops_task');

-- No foreign key: machines that are gone are passed over.
CREATE TABLE ops_adhoc_host (
  adhoc uuid NOT NULL REFERENCES ops_adhoc (id) ON DELETE CASCADE,
  asset uuid NOT NULL,
  PRIMARY KEY (adhoc, asset)
);

CREATE TABLE ops_adhoc_execution (
  -- The id of the background task as well, by which its output is read.
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  task uuid REFERENCES ops_task (id) ON DELETE SET NULL,
  adhoc uuid REFERENCES ops_adhoc (id) ON DELETE SET NULL,
  task_display text NOT NULL DEFAULT '',
  hosts_amount integer NOT NULL DEFAULT 0,
  is_finished boolean NOT NULL DEFAULT false,
  is_success boolean NOT NULL DEFAULT false,
  date_start timestamptz NOT NULL DEFAULT now(),
  date_finished timestamptz
);
CREATE INDEX ops_adhoc_execution__task ON ops_adhoc_execution (task, date_start DESC);
CREATE INDEX ops_adhoc_execution__adhoc ON ops_adhoc_execution (adhoc, date_start DESC);
CREATE INDEX ops_adhoc_execution__org ON ops_adhoc_execution (org_id, date_start DESC);
CREATE INDEX ops_adhoc_execution__running ON ops_adhoc_execution (date_start) WHERE NOT is_finished;
CALL kernel_guard_organization('ops_adhoc_execution', 'task', 'ops_task', 'adhoc', 'ops_adhoc');

-- One machine's part of a run, stored once it is over there: a run that another node takes up goes on
-- with the others.
CREATE TABLE ops_adhoc_execution_host (
  execution uuid NOT NULL REFERENCES ops_adhoc_execution (id) ON DELETE CASCADE,
  asset uuid NOT NULL,
  -- As people read it, at that time.
  name text NOT NULL DEFAULT '',
  is_success boolean NOT NULL,
  -- By step.
  results jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (execution, asset)
);

-- ---------------------------------------------------------------- runbooks
-- Runs of steps: commands by name with variables, shared in the organization.
CREATE TABLE ops_runbook (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  name text NOT NULL,
  steps jsonb NOT NULL,
  variables jsonb NOT NULL DEFAULT '[]',
  comment text NOT NULL DEFAULT '',
  version integer NOT NULL DEFAULT 0,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX ops_runbook__org_id__name__unique ON ops_runbook (org_id, name);

-- The newest versions, the current one among them.
CREATE TABLE ops_runbook_version (
  runbook uuid NOT NULL REFERENCES ops_runbook (id) ON DELETE CASCADE,
  version integer NOT NULL,
  steps jsonb NOT NULL,
  variables jsonb NOT NULL,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (runbook, version)
);

-- Files that steps of runbooks put on machines: sealed, since nobody knows what is in them.
CREATE TABLE ops_runbook_file (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  name text NOT NULL,
  size integer NOT NULL,
  sha256 text NOT NULL,
  content_sealed bytea NOT NULL,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ops_runbook_file__date_created ON ops_runbook_file (date_created);

-- ---------------------------------------------------------------- batch commands
-- One command, or one runbook, on many machines, and what became of it on each.
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
  runbook uuid REFERENCES ops_runbook (id) ON DELETE SET NULL,
  runbook_display text NOT NULL DEFAULT '',
  -- What it hands to its machines besides the text: which files, and secrets of which accounts, never
  -- themselves.
  handed jsonb,
  -- Why nothing ran anywhere.
  error text NOT NULL DEFAULT '',
  is_finished boolean NOT NULL DEFAULT false,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_start timestamptz,
  date_finished timestamptz
);
CREATE INDEX ops_command_execution__user ON ops_command_execution (user_id, date_created DESC);
CREATE INDEX ops_command_execution__org ON ops_command_execution (org_id, date_created DESC);
CREATE INDEX ops_command_execution__runbook
  ON ops_command_execution (runbook, date_created DESC) WHERE runbook IS NOT NULL;
CALL kernel_guard_organization('ops_command_execution', 'runbook', 'ops_runbook');

CREATE TABLE ops_command_execution_host (
  -- The machines of all runs are a list of their own.
  id bigint GENERATED ALWAYS AS IDENTITY,
  execution uuid NOT NULL REFERENCES ops_command_execution (id) ON DELETE CASCADE,
  asset uuid NOT NULL,
  -- Host name at that time.
  name text NOT NULL DEFAULT '',
  -- What runs on this machine, where it differs by machine.
  command text,
  -- held: rules of the machine want it confirmed; it waits for others to decide on `ticket`.
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'held', 'running', 'success', 'failed', 'skipped')),
  ticket uuid,
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
CREATE UNIQUE INDEX ops_command_execution_host__id__unique ON ops_command_execution_host (id);
CREATE INDEX ops_command_execution_host__asset ON ops_command_execution_host (asset);

-- What machines write while a batch command runs there, for whoever watches; gone once the run is over.
CREATE TABLE ops_command_output (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  execution uuid NOT NULL REFERENCES ops_command_execution (id) ON DELETE CASCADE,
  asset uuid NOT NULL,
  stream text NOT NULL CHECK (stream IN ('stdout', 'stderr')),
  data text NOT NULL
);
CREATE INDEX ops_command_output__execution ON ops_command_output (execution, id);

-- Runs of runbooks at times, as batch commands of whoever wrote the schedule.
CREATE TABLE ops_runbook_schedule (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  runbook uuid NOT NULL REFERENCES ops_runbook (id) ON DELETE CASCADE,
  -- Of the runbook, when its author looked at it.
  version integer NOT NULL,
  run_as uuid NOT NULL,
  values jsonb NOT NULL DEFAULT '{}',
  -- From where, and in which language, it was saved.
  remote_addr text NOT NULL DEFAULT '',
  language text NOT NULL DEFAULT 'en',
  is_periodic boolean NOT NULL DEFAULT true,
  crontab text,
  interval integer,
  date_next_run timestamptz,
  date_last_run timestamptz,
  -- The job that began the last run: a job that is taken up again begins no second one.
  last_job uuid,
  last_execution uuid REFERENCES ops_command_execution (id) ON DELETE SET NULL,
  -- Why nothing ran the last time.
  error text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ops_runbook_schedule__user_id ON ops_runbook_schedule (user_id, date_created DESC);
CREATE INDEX ops_runbook_schedule__runbook ON ops_runbook_schedule (runbook);
CREATE INDEX ops_runbook_schedule__last_execution ON ops_runbook_schedule (last_execution);
CREATE INDEX ops_runbook_schedule__due ON ops_runbook_schedule (date_next_run) WHERE is_periodic;
CALL kernel_guard_organization('ops_runbook_schedule', 'runbook', 'ops_runbook');
CALL kernel_guard_organization('ops_runbook_schedule', 'last_execution', 'ops_command_execution');

CREATE TABLE ops_runbook_schedule_host (
  schedule uuid NOT NULL REFERENCES ops_runbook_schedule (id) ON DELETE CASCADE,
  asset uuid NOT NULL,
  PRIMARY KEY (schedule, asset)
);

-- ---------------------------------------------------------------- what is chained of a run
-- Of a batch command, of a run of a task, and of its outcome on a machine (audits_tables), by the
-- rules of terminal_session_content. What machines wrote is chained by its SHA-256.
CREATE FUNCTION ops_command_execution_content(e ops_command_execution) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(e.id, e.org_id, e.user_id, e."user", e.remote_addr, e.run_as, e.run_as_display, e.command,
      e.date_created)
    || CASE WHEN e.is_finished THEN jsonb_build_array(e.error, e.date_start, e.date_finished) ELSE '[]' END
    || jsonb_build_array(jsonb_build_object('runbook', e.runbook, 'runbook_display', e.runbook_display,
      'handed', e.handed)))::text
$$;
CREATE FUNCTION ops_adhoc_execution_content(e ops_adhoc_execution) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(e.id, e.org_id, e.task_display, e.hosts_amount, e.date_start)
    || CASE WHEN e.is_finished THEN jsonb_build_array(e.is_success, e.date_finished) ELSE '[]' END
    || jsonb_build_array(jsonb_build_object('task', e.task, 'adhoc', e.adhoc)))::text
$$;
CREATE FUNCTION ops_adhoc_outcome_content(h ops_adhoc_execution_host) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(h.execution, h.asset, h.name, h.is_success,
    encode(sha256(convert_to(h.results::text, 'UTF8')), 'hex'))::text
$$;
