-- Background jobs, which wait here, are done, and stay for a week.
CREATE TABLE kernel_job (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  queue text NOT NULL,
  data jsonb NOT NULL,
  -- Whose it is, for work of which one owner gets a share.
  owner text,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
  -- How often it was begun; the number of its present run.
  tries integer NOT NULL DEFAULT 0,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_due timestamptz NOT NULL DEFAULT now(),
  date_start timestamptz,
  -- When its node said last that it is at it.
  date_heard timestamptz,
  date_finished timestamptz,
  error text NOT NULL DEFAULT ''
);
CREATE INDEX kernel_job__queue_due ON kernel_job (queue, date_due, id) WHERE state = 'waiting';
CREATE INDEX kernel_job__due ON kernel_job (date_due, id) WHERE state = 'waiting';
CREATE INDEX kernel_job__running ON kernel_job (queue, owner) WHERE state = 'running';
CREATE INDEX kernel_job__ended ON kernel_job (state, date_finished DESC, id) WHERE date_finished IS NOT NULL;
