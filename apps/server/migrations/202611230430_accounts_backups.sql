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
