-- How much somebody has used by agents in an hour. Not written to the disk: after a crash the hour begins
-- again.
CREATE UNLOGGED TABLE authentication_agent_use (
  user_id uuid PRIMARY KEY REFERENCES users_user (id) ON DELETE CASCADE,
  date_begin timestamptz NOT NULL,
  calls integer NOT NULL,
  rows integer NOT NULL,
  milliseconds integer NOT NULL
);
