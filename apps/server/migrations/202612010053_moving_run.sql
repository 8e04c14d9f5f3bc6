-- Imports from JumpServer that the page of system administrators has run (docs/design/moving.md).
CREATE TABLE moving_run (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  task text NOT NULL,
  state text NOT NULL DEFAULT 'running',
  -- The node that is at it, and its name then.
  node uuid NOT NULL,
  node_name text NOT NULL,
  asked_by text NOT NULL,
  -- Never with a password.
  source text NOT NULL DEFAULT '',
  version text NOT NULL DEFAULT '',
  stage text NOT NULL DEFAULT '',
  stages_done integer NOT NULL DEFAULT 0,
  stages integer NOT NULL DEFAULT 0,
  rows bigint NOT NULL DEFAULT 0,
  -- Why it failed: a sentence and its values.
  fault jsonb,
  result jsonb NOT NULL DEFAULT '{}',
  -- Files for people, packed.
  report bytea,
  differences bytea,
  is_stopped boolean NOT NULL DEFAULT false,
  date_started timestamptz NOT NULL DEFAULT now(),
  -- When the node was last at it.
  date_seen timestamptz NOT NULL DEFAULT now(),
  date_finished timestamptz
);
-- One at a time in the whole installation.
CREATE UNIQUE INDEX moving_run__current__unique ON moving_run ((true)) WHERE date_finished IS NULL;
