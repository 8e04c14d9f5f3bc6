-- Backups of the whole installation that were made or tried (docs/backup.md). What is in a backup is
-- said by its manifest, beside it: these rows are for people who look whether there is one.
CREATE TABLE backups_backup (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Of the backup in its place, such as 20261128T225013123Z; empty until it is complete.
  name text NOT NULL DEFAULT '',
  place text NOT NULL,
  -- Who made it: schedule or operator.
  made_by text NOT NULL,
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
  date_start timestamptz NOT NULL DEFAULT now(),
  date_finished timestamptz,
  -- The moment that it is of.
  date_snapshot timestamptz,
  has_key boolean NOT NULL DEFAULT false,
  -- Of the backup, as far as it does not share it with the one before.
  bytes bigint,
  recordings bigint,
  -- Why it failed; of a complete one what went wrong afterwards.
  error text NOT NULL DEFAULT ''
);
CREATE INDEX backups_backup__date_start ON backups_backup (date_start DESC, id DESC);
CREATE INDEX backups_backup__done ON backups_backup (date_snapshot DESC) WHERE state = 'done';
