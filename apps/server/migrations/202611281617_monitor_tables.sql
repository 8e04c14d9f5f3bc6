-- What the system monitor keeps (docs/monitoring.md): a row a minute for a day, a row a quarter of an
-- hour for 30 days.
CREATE TABLE monitor_sample (
  -- Null of what is the installation's.
  node uuid,
  at timestamptz NOT NULL,
  -- That it covers from `at` on: 1 as measured, 15 as rolled up.
  minutes smallint NOT NULL,
  -- By name, packages/contract/src/resources/monitor/system-monitor.ts; of what was rolled up the means.
  figures jsonb NOT NULL,
  -- The highest of what was rolled up.
  peaks jsonb
);
CREATE UNIQUE INDEX monitor_sample__minutes_node_at__unique ON monitor_sample (minutes, node, at) NULLS NOT DISTINCT;
CREATE INDEX monitor_sample__minutes_at ON monitor_sample (minutes, at);

CREATE TABLE monitor_alarm (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  kind text NOT NULL,
  -- The node or storage that it is about; empty of what is the installation's.
  subject text NOT NULL DEFAULT '',
  -- What that is called, which may be gone when somebody reads this.
  name text NOT NULL DEFAULT '',
  -- The worst while it lasts.
  value double precision,
  limit_value double precision,
  date_opened timestamptz NOT NULL,
  -- When what it is about was last seen to be wrong.
  date_seen timestamptz NOT NULL,
  date_closed timestamptz
);
CREATE UNIQUE INDEX monitor_alarm__kind_subject__unique ON monitor_alarm (kind, subject) WHERE date_closed IS NULL;
CREATE INDEX monitor_alarm__date_opened ON monitor_alarm (date_opened DESC, id DESC);

-- Whether each storage outside answers.
CREATE TABLE monitor_storage (
  id uuid PRIMARY KEY,
  kind text NOT NULL,
  name text NOT NULL,
  is_away boolean NOT NULL,
  -- What is wrong, as storages say it; words are made of it in the reader's language.
  fault text NOT NULL DEFAULT '',
  answer text NOT NULL DEFAULT '',
  date_since timestamptz NOT NULL,
  date_checked timestamptz NOT NULL
);
