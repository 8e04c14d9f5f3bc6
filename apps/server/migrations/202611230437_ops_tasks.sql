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
  -- As whom the steps run once logged in; empty for nobody else.
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

-- One machine's part of a run, stored once it is over there: a run that another node takes up goes on with the others.
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
