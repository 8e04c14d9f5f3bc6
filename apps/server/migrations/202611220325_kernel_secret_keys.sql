-- The keys that secrets are sealed under, by id: the keys themselves never stand in the database. The check value is a known text, sealed.
CREATE TABLE kernel_secret_key (
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{16}$'),
  state text NOT NULL CHECK (state IN ('next', 'current', 'previous', 'retired')),
  check_value bytea NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_retired timestamptz
);
-- One that seals, and one at most that is to seal next.
CREATE UNIQUE INDEX kernel_secret_key__state__unique ON kernel_secret_key (state) WHERE state IN ('current', 'next');
