-- Connections forwarded from machines through SSH, and those that were refused: who, where to, how much.
CREATE TABLE terminal_forwarded_connection (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  -- Without one where it was refused before there was a session.
  session_id uuid REFERENCES terminal_session (id) ON DELETE CASCADE,
  "user" text NOT NULL,
  user_id uuid NOT NULL,
  asset text NOT NULL,
  asset_id uuid NOT NULL,
  "system_user" text NOT NULL,
  remote_addr text,
  destination text NOT NULL,
  outcome text NOT NULL DEFAULT 'open' CHECK (outcome IN ('open', 'closed', 'ended', 'refused', 'failed')),
  reason text,
  bytes_sent bigint NOT NULL DEFAULT 0,
  bytes_received bigint NOT NULL DEFAULT 0,
  date_start timestamptz NOT NULL DEFAULT now(),
  date_end timestamptz,
  sign_in_id uuid,
  on_behalf_of text
);
CREATE INDEX terminal_forwarded_connection__org_id
  ON terminal_forwarded_connection (org_id, date_start DESC, id DESC);
CREATE INDEX terminal_forwarded_connection__date_start ON terminal_forwarded_connection (date_start DESC, id DESC);
CREATE INDEX terminal_forwarded_connection__session_id
  ON terminal_forwarded_connection (session_id, date_start DESC, id DESC);
CREATE INDEX terminal_forwarded_connection__open ON terminal_forwarded_connection (session_id)
  WHERE outcome = 'open';
CALL kernel_guard_organization('terminal_forwarded_connection', 'session_id', 'terminal_session');
