-- Plans by which the secrets of accounts are changed, their runs, and what became of each account.
CREATE TABLE accounts_change_plan (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  family text NOT NULL CHECK (family IN ('asset', 'application')),
  name text NOT NULL,
  username text NOT NULL DEFAULT '',
  category text NOT NULL DEFAULT '',
  type text NOT NULL DEFAULT '',
  is_password boolean NOT NULL DEFAULT true,
  password_strategy text NOT NULL DEFAULT 'custom' CHECK (password_strategy IN ('custom', 'random_one', 'random_all')),
  password_sealed bytea,
  password_rules jsonb NOT NULL DEFAULT '{}',
  is_ssh_key boolean NOT NULL DEFAULT false,
  ssh_key_strategy text NOT NULL DEFAULT 'add',
  private_key_sealed bytea,
  public_key text NOT NULL DEFAULT '',
  is_periodic boolean NOT NULL,
  crontab text,
  interval integer,
  date_next_run timestamptz,
  run_times integer NOT NULL DEFAULT 0,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_change_plan__org_id__name__unique ON accounts_change_plan (org_id, name, family);
CREATE INDEX accounts_change_plan__date_next_run ON accounts_change_plan (date_next_run) WHERE is_periodic;

CREATE TABLE accounts_change_plan_asset (
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  asset uuid NOT NULL REFERENCES assets_asset (id) ON DELETE CASCADE,
  PRIMARY KEY (plan, asset)
);
CREATE INDEX accounts_change_plan_asset__asset ON accounts_change_plan_asset (asset);
CREATE TABLE accounts_change_plan_node (
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  node uuid NOT NULL REFERENCES assets_node (id) ON DELETE CASCADE,
  PRIMARY KEY (plan, node)
);
CREATE INDEX accounts_change_plan_node__node ON accounts_change_plan_node (node);
CREATE TABLE accounts_change_plan_app (
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  app uuid NOT NULL REFERENCES applications_application (id) ON DELETE CASCADE,
  PRIMARY KEY (plan, app)
);
CREATE INDEX accounts_change_plan_app__app ON accounts_change_plan_app (app);
CREATE TABLE accounts_change_plan_system_user (
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  "system_user" uuid NOT NULL REFERENCES assets_system_user (id) ON DELETE CASCADE,
  PRIMARY KEY (plan, "system_user")
);
CREATE INDEX accounts_change_plan_system_user__system_user ON accounts_change_plan_system_user ("system_user");
CREATE TABLE accounts_change_plan_recipient (
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  PRIMARY KEY (plan, "user")
);
CREATE INDEX accounts_change_plan_recipient__user ON accounts_change_plan_recipient ("user");
CALL kernel_guard_organization('accounts_change_plan_asset', 'plan', 'accounts_change_plan', 'asset', 'assets_asset');
CALL kernel_guard_organization('accounts_change_plan_node', 'plan', 'accounts_change_plan', 'node', 'assets_node');
CALL kernel_guard_organization('accounts_change_plan_app', 'plan', 'accounts_change_plan', 'app', 'applications_application');
CALL kernel_guard_organization('accounts_change_plan_system_user', 'plan', 'accounts_change_plan', 'system_user', 'assets_system_user');

CREATE TABLE accounts_change_execution (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  family text NOT NULL,
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  plan_snapshot jsonb NOT NULL,
  password_sealed bytea,
  private_key_sealed bytea,
  trigger text NOT NULL DEFAULT 'manual' CHECK (trigger IN ('manual', 'timing')),
  is_rehearsal boolean NOT NULL DEFAULT false,
  is_finished boolean NOT NULL DEFAULT false,
  date_start timestamptz NOT NULL DEFAULT now(),
  date_finished timestamptz
);
CREATE INDEX accounts_change_execution__plan ON accounts_change_execution (plan, date_start DESC);
CREATE INDEX accounts_change_execution__org_id ON accounts_change_execution (org_id, family, date_start DESC);
CREATE INDEX accounts_change_execution__unfinished ON accounts_change_execution (date_start) WHERE NOT is_finished;
CALL kernel_guard_organization('accounts_change_execution', 'plan', 'accounts_change_plan');

CREATE TABLE accounts_change_task (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  family text NOT NULL,
  execution uuid NOT NULL REFERENCES accounts_change_execution (id) ON DELETE CASCADE,
  asset uuid REFERENCES assets_asset (id) ON DELETE CASCADE,
  app uuid REFERENCES applications_application (id) ON DELETE CASCADE,
  "system_user" uuid REFERENCES assets_system_user (id) ON DELETE CASCADE,
  -- The account whose secret it is, once it is known.
  account uuid,
  username text NOT NULL DEFAULT '',
  place integer NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'succeeded', 'failed', 'unknown', 'skipped')),
  step text NOT NULL DEFAULT 'ready',
  reason text NOT NULL DEFAULT '',
  detail text NOT NULL DEFAULT '',
  date_start timestamptz,
  milliseconds integer,
  date_next_probe timestamptz,
  probes integer NOT NULL DEFAULT 0
);
CREATE INDEX accounts_change_task__execution ON accounts_change_task (execution, place);
CREATE INDEX accounts_change_task__org_id ON accounts_change_task (org_id, family);
CREATE INDEX accounts_change_task__asset ON accounts_change_task (asset);
CREATE INDEX accounts_change_task__app ON accounts_change_task (app);
CREATE INDEX accounts_change_task__system_user ON accounts_change_task ("system_user");
CREATE INDEX accounts_change_task__unknown ON accounts_change_task (date_next_probe) WHERE state = 'unknown';
CALL kernel_guard_organization('accounts_change_task', 'execution', 'accounts_change_execution');
CALL kernel_guard_organization('accounts_change_task', 'asset', 'assets_asset');
CALL kernel_guard_organization('accounts_change_task', 'app', 'applications_application');
CALL kernel_guard_organization('accounts_change_task', 'system_user', 'assets_system_user');
