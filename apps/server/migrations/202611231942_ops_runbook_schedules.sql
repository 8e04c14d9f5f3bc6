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
