-- The life of accounts: plans that change their secrets, what is read of the accounts on machines,
-- backups in encrypted files, and bundles for the day on which Sallyport is not there.

-- ---------------------------------------------------------------- changes of secrets
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

-- Whose accounts a plan changes.
CREATE TABLE accounts_change_plan_asset (
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  asset uuid NOT NULL REFERENCES assets_asset (id) ON DELETE CASCADE,
  PRIMARY KEY (plan, asset)
);
CREATE INDEX accounts_change_plan_asset__asset ON accounts_change_plan_asset (asset);
CALL kernel_guard_organization('accounts_change_plan_asset', 'plan', 'accounts_change_plan', 'asset', 'assets_asset');

CREATE TABLE accounts_change_plan_node (
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  node uuid NOT NULL REFERENCES assets_node (id) ON DELETE CASCADE,
  PRIMARY KEY (plan, node)
);
CREATE INDEX accounts_change_plan_node__node ON accounts_change_plan_node (node);
CALL kernel_guard_organization('accounts_change_plan_node', 'plan', 'accounts_change_plan', 'node', 'assets_node');

CREATE TABLE accounts_change_plan_app (
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  app uuid NOT NULL REFERENCES applications_application (id) ON DELETE CASCADE,
  PRIMARY KEY (plan, app)
);
CREATE INDEX accounts_change_plan_app__app ON accounts_change_plan_app (app);
CALL kernel_guard_organization(
  'accounts_change_plan_app', 'plan', 'accounts_change_plan', 'app', 'applications_application'
);

CREATE TABLE accounts_change_plan_system_user (
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  "system_user" uuid NOT NULL REFERENCES assets_system_user (id) ON DELETE CASCADE,
  PRIMARY KEY (plan, "system_user")
);
CREATE INDEX accounts_change_plan_system_user__system_user ON accounts_change_plan_system_user ("system_user");
CALL kernel_guard_organization(
  'accounts_change_plan_system_user', 'plan', 'accounts_change_plan', 'system_user', 'assets_system_user'
);

-- Who is mailed what became of a run.
CREATE TABLE accounts_change_plan_recipient (
  plan uuid NOT NULL REFERENCES accounts_change_plan (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  PRIMARY KEY (plan, "user")
);
CREATE INDEX accounts_change_plan_recipient__user ON accounts_change_plan_recipient ("user");

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
  state text NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'running', 'succeeded', 'failed', 'unknown', 'skipped')),
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
-- The changes of an account, for the time line of its life.
CREATE INDEX accounts_change_task__account ON accounts_change_task (account, date_start) WHERE account IS NOT NULL;
CREATE INDEX accounts_change_task__unknown ON accounts_change_task (date_next_probe) WHERE state = 'unknown';
-- Each minute somebody asks for accounts whose change was left by a lost node.
CREATE INDEX accounts_change_task__running ON accounts_change_task (date_start) WHERE state = 'running';
CALL kernel_guard_organization('accounts_change_task', 'execution', 'accounts_change_execution');
CALL kernel_guard_organization('accounts_change_task', 'asset', 'assets_asset');
CALL kernel_guard_organization('accounts_change_task', 'app', 'applications_application');
CALL kernel_guard_organization('accounts_change_task', 'system_user', 'assets_system_user');

-- ---------------------------------------------------------------- gathered users
-- Tasks that read which accounts there are on machines, and what they found.
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
CALL kernel_guard_organization(
  'accounts_gather_task_node', 'task_id', 'accounts_gather_task', 'node_id', 'assets_node'
);

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
  -- Authorized keys: [{key, comment}]; null where they could not be read.
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

-- ---------------------------------------------------------------- backups
-- Plans by which the secrets of accounts are sent to people in encrypted files, and their runs.
CREATE TABLE accounts_backup_plan (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  name text NOT NULL,
  is_periodic boolean NOT NULL DEFAULT true,
  crontab text,
  interval integer,
  date_next_run timestamptz,
  -- asset, application.
  types text[] NOT NULL DEFAULT '{asset,application}',
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_backup_plan__org_id__name__unique ON accounts_backup_plan (org_id, name);
CREATE INDEX accounts_backup_plan__due ON accounts_backup_plan (date_next_run) WHERE is_periodic;

CREATE TABLE accounts_backup_plan_recipient (
  plan_id uuid NOT NULL REFERENCES accounts_backup_plan (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  PRIMARY KEY (plan_id, user_id)
);
CREATE INDEX accounts_backup_plan_recipient__user_id ON accounts_backup_plan_recipient (user_id);

CREATE TABLE accounts_backup_execution (
  -- That of its background task.
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  plan uuid NOT NULL REFERENCES accounts_backup_plan (id) ON DELETE CASCADE,
  plan_snapshot jsonb NOT NULL,
  trigger text NOT NULL CHECK (trigger IN ('manual', 'timing')),
  date_start timestamptz NOT NULL DEFAULT now(),
  -- Seconds; null while it runs.
  timedelta double precision,
  is_success boolean NOT NULL DEFAULT false,
  reason text NOT NULL DEFAULT ''
);
CREATE INDEX accounts_backup_execution__plan ON accounts_backup_execution (plan, date_start DESC);
CREATE INDEX accounts_backup_execution__org_id ON accounts_backup_execution (org_id, date_start DESC);
CALL kernel_guard_organization('accounts_backup_execution', 'plan', 'accounts_backup_plan');

-- ---------------------------------------------------------------- break-glass bundles
-- Accounts sealed for people who open them together while Sallyport is not there.
CREATE TABLE accounts_break_glass (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  name text NOT NULL,
  -- Empty: accounts of every name.
  usernames text[] NOT NULL DEFAULT '{}',
  threshold integer NOT NULL DEFAULT 2 CHECK (threshold >= 2),
  state text NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'sealed', 'opened')),
  date_sent timestamptz,
  date_opened timestamptz,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_break_glass__org_id__name__unique ON accounts_break_glass (org_id, name);

CREATE TABLE accounts_break_glass_asset (
  bundle uuid NOT NULL REFERENCES accounts_break_glass (id) ON DELETE CASCADE,
  asset uuid NOT NULL REFERENCES assets_asset (id) ON DELETE CASCADE,
  PRIMARY KEY (bundle, asset)
);
CREATE INDEX accounts_break_glass_asset__asset ON accounts_break_glass_asset (asset);
CALL kernel_guard_organization('accounts_break_glass_asset', 'bundle', 'accounts_break_glass', 'asset', 'assets_asset');

CREATE TABLE accounts_break_glass_app (
  bundle uuid NOT NULL REFERENCES accounts_break_glass (id) ON DELETE CASCADE,
  app uuid NOT NULL REFERENCES applications_application (id) ON DELETE CASCADE,
  PRIMARY KEY (bundle, app)
);
CREATE INDEX accounts_break_glass_app__app ON accounts_break_glass_app (app);
CALL kernel_guard_organization(
  'accounts_break_glass_app', 'bundle', 'accounts_break_glass', 'app', 'applications_application'
);

CREATE TABLE accounts_break_glass_holder (
  bundle uuid NOT NULL REFERENCES accounts_break_glass (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  PRIMARY KEY (bundle, "user")
);
CREATE INDEX accounts_break_glass_holder__user ON accounts_break_glass_holder ("user");

-- What is in any of the files that were given out: it is changed once one was opened.
CREATE TABLE accounts_break_glass_account (
  bundle uuid NOT NULL REFERENCES accounts_break_glass (id) ON DELETE CASCADE,
  -- Of an asset or an application; without a reference, as accounts come and go.
  account uuid NOT NULL,
  asset uuid REFERENCES assets_asset (id) ON DELETE CASCADE,
  app uuid REFERENCES applications_application (id) ON DELETE CASCADE,
  username text NOT NULL,
  has_key boolean NOT NULL,
  date_sent timestamptz NOT NULL,
  PRIMARY KEY (bundle, account)
);
CREATE INDEX accounts_break_glass_account__asset ON accounts_break_glass_account (asset);
CREATE INDEX accounts_break_glass_account__app ON accounts_break_glass_account (app);
CALL kernel_guard_organization(
  'accounts_break_glass_account', 'asset', 'assets_asset', 'bundle', 'accounts_break_glass'
);
CALL kernel_guard_organization(
  'accounts_break_glass_account', 'app', 'applications_application', 'bundle', 'accounts_break_glass'
);
