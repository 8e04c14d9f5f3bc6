-- Sharing a running session by link and code, and who joined or tried to (contract/terminal.yaml session_sharing, session_join_record).

CREATE TABLE terminal_session_sharing (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  session uuid NOT NULL REFERENCES terminal_session (id) ON DELETE CASCADE,
  creator uuid REFERENCES users_user (id) ON DELETE SET NULL,
  verify_code text NOT NULL,
  action_permission text NOT NULL DEFAULT 'writable',
  is_active boolean NOT NULL DEFAULT true,
  -- Minutes from its making.
  expired_time integer NOT NULL DEFAULT 0,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX terminal_session_sharing__session ON terminal_session_sharing (session);
CREATE INDEX terminal_session_sharing__creator ON terminal_session_sharing (creator);
CREATE INDEX terminal_session_sharing__org_id ON terminal_session_sharing (org_id, date_created DESC, id DESC);

CREATE TABLE terminal_session_join_record (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  session uuid REFERENCES terminal_session (id) ON DELETE CASCADE,
  sharing uuid NOT NULL REFERENCES terminal_session_sharing (id) ON DELETE CASCADE,
  joiner uuid REFERENCES users_user (id) ON DELETE SET NULL,
  -- Name(username); outlives the person.
  joiner_display text NOT NULL DEFAULT '',
  verify_code text NOT NULL,
  remote_addr text,
  login_from text NOT NULL DEFAULT 'WT',
  is_success boolean NOT NULL DEFAULT true,
  reason text DEFAULT '-',
  is_finished boolean NOT NULL DEFAULT false,
  date_joined timestamptz NOT NULL DEFAULT now(),
  date_left timestamptz,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX terminal_session_join_record__session ON terminal_session_join_record (session);
CREATE INDEX terminal_session_join_record__sharing ON terminal_session_join_record (sharing);
CREATE INDEX terminal_session_join_record__joiner ON terminal_session_join_record (joiner);
CREATE INDEX terminal_session_join_record__org_id ON terminal_session_join_record (org_id, date_joined DESC, id DESC);

-- Nobody may type, by order of an administrator or auditor.
ALTER TABLE terminal_session ADD COLUMN is_locked boolean NOT NULL DEFAULT false;
