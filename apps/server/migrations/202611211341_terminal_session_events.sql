-- What happened to a session besides what was typed in it: lines that broke, re-attachments, locks, its end.

CREATE TABLE terminal_session_event (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  session uuid NOT NULL REFERENCES terminal_session (id) ON DELETE CASCADE,
  event text NOT NULL,
  -- Name(username) of who caused it; empty where nobody did.
  "user" text NOT NULL DEFAULT '',
  remote_addr text,
  reason text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX terminal_session_event__session ON terminal_session_event (session, date_created, id);
CREATE INDEX terminal_session_event__org_id ON terminal_session_event (org_id, date_created DESC, id DESC);
