-- What nodes carry, as it was measured on them (docs/capacity.md).
CREATE TABLE monitor_capacity (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  node uuid NOT NULL,
  -- Its name then.
  node_name text NOT NULL,
  state text NOT NULL DEFAULT 'waiting',
  -- Why it failed, as a code or in the words of disk, store or database.
  fault text NOT NULL DEFAULT '',
  asked_by text NOT NULL,
  -- All of it so many times.
  rounds smallint NOT NULL DEFAULT 3,
  is_canceled boolean NOT NULL DEFAULT false,
  done integer NOT NULL DEFAULT 0,
  total integer NOT NULL DEFAULT 0,
  figures jsonb NOT NULL DEFAULT '{}',
  -- The machine that it was measured on; null before that.
  machine jsonb,
  date_asked timestamptz NOT NULL DEFAULT now(),
  -- When the node was last at it.
  date_seen timestamptz NOT NULL DEFAULT now(),
  date_finished timestamptz
);
-- One at a time in the whole installation.
CREATE UNIQUE INDEX monitor_capacity__current__unique ON monitor_capacity ((true)) WHERE date_finished IS NULL;
CREATE INDEX monitor_capacity__node ON monitor_capacity (node, date_asked DESC);

-- The busiest minute of each day on a node.
CREATE TABLE monitor_capacity_day (
  node uuid NOT NULL,
  day date NOT NULL,
  sessions integer NOT NULL DEFAULT 0,
  opened integer NOT NULL DEFAULT 0,
  commands double precision NOT NULL DEFAULT 0,
  -- Percent of what the node carried when it was measured last; null where it never was.
  percent double precision,
  PRIMARY KEY (node, day)
);
