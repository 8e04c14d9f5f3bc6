-- Accounts that stand on machines themselves, read from them by tasks, and who of Sallyport logs in to which of them.
CREATE VIEW assets_account_login AS
  SELECT c.id, c.org_id, c.asset, coalesce(nullif(c.username, ''), s.username, '') AS username,
    coalesce(s.username_same_with_user AND c.username = '', false) AS username_same_with_user,
    coalesce(s.name, '') AS systemuser_name,
    substring(coalesce(nullif(c.public_key, ''), s.public_key) from '^\s*(\S+\s+\S+)') AS public_key
  FROM assets_account c LEFT JOIN assets_system_user s ON s.id = c.systemuser;

CREATE TABLE accounts_gather_task (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  name text NOT NULL,
  is_periodic boolean NOT NULL DEFAULT true,
  crontab text,
  interval integer,
  date_next_run timestamptz,
  -- When a run last ended well.
  date_last_sync timestamptz,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_gather_task__org_id__name__unique ON accounts_gather_task (org_id, name);
CREATE INDEX accounts_gather_task__due ON accounts_gather_task (date_next_run) WHERE is_periodic;

CREATE TABLE accounts_gather_task_node (
  task_id uuid NOT NULL REFERENCES accounts_gather_task (id) ON DELETE CASCADE,
  node_id uuid NOT NULL REFERENCES assets_node (id) ON DELETE CASCADE,
  PRIMARY KEY (task_id, node_id)
);
CREATE INDEX accounts_gather_task_node__node_id ON accounts_gather_task_node (node_id);
CALL kernel_guard_organization('accounts_gather_task_node', 'task_id', 'accounts_gather_task', 'node_id', 'assets_node');

CREATE TABLE accounts_gather_execution (
  -- That of its background task.
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  task uuid NOT NULL REFERENCES accounts_gather_task (id) ON DELETE CASCADE,
  date_start timestamptz NOT NULL DEFAULT now(),
  -- Seconds; null while it runs.
  timedelta double precision,
  success boolean NOT NULL DEFAULT false,
  reason text NOT NULL DEFAULT '',
  assets_amount integer NOT NULL DEFAULT 0,
  failed_amount integer NOT NULL DEFAULT 0,
  new_amount integer NOT NULL DEFAULT 0,
  changed_amount integer NOT NULL DEFAULT 0,
  vanished_amount integer NOT NULL DEFAULT 0
);
CREATE INDEX accounts_gather_execution__task ON accounts_gather_execution (task, date_start DESC);
CALL kernel_guard_organization('accounts_gather_execution', 'task', 'accounts_gather_task');

CREATE TABLE accounts_gathered_user (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  asset uuid NOT NULL REFERENCES assets_asset (id) ON DELETE CASCADE,
  username text NOT NULL,
  present boolean NOT NULL DEFAULT true,
  ip_last_login text NOT NULL DEFAULT '',
  date_last_login timestamptz,
  uid bigint,
  home text NOT NULL DEFAULT '',
  shell text NOT NULL DEFAULT '',
  -- Of the machine's administrators.
  is_admin boolean NOT NULL DEFAULT false,
  -- Authorised keys: [{key, comment}]; null where they could not be read.
  keys jsonb,
  -- What the last run of its asset found different from the one before.
  change text NOT NULL DEFAULT '' CHECK (change IN ('', 'new', 'changed', 'vanished')),
  date_changed timestamptz,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_gathered_user__asset__username__unique ON accounts_gathered_user (asset, username);
CREATE INDEX accounts_gathered_user__org_id ON accounts_gathered_user (org_id, asset);
CREATE INDEX accounts_gathered_user__change ON accounts_gathered_user (org_id, change) WHERE change <> '';
CALL kernel_guard_organization('accounts_gathered_user', 'asset', 'assets_asset');
CALL kernel_count_rows('accounts_gathered_user');
