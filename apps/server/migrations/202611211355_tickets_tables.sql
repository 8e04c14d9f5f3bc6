-- Requests that somebody else decides. A closed ticket is final.
CREATE TABLE tickets_ticket (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  title text NOT NULL,
  type text NOT NULL CHECK (type IN ('general', 'login_confirm', 'apply_asset', 'apply_application', 'login_asset_confirm', 'command_confirm')),
  meta jsonb NOT NULL DEFAULT '{}',
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'approved', 'rejected', 'closed')),
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
  approval_step integer NOT NULL DEFAULT 1 CHECK (approval_step IN (1, 2)),
  applicant uuid REFERENCES users_user (id) ON DELETE SET NULL,
  applicant_display text NOT NULL,
  process_map jsonb NOT NULL DEFAULT '[]',
  comment text NOT NULL DEFAULT '',
  org_id uuid NOT NULL,
  serial_num text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now(),
  CHECK ((state = 'open') = (status = 'open'))
);
CREATE UNIQUE INDEX tickets_ticket__serial_num__unique ON tickets_ticket (serial_num);
CREATE INDEX tickets_ticket__applicant ON tickets_ticket (applicant, date_created);
CREATE INDEX tickets_ticket__open ON tickets_ticket (type, date_created) WHERE status = 'open';

-- Who decides at which level.
CREATE TABLE tickets_assignee (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ticket_id uuid NOT NULL REFERENCES tickets_ticket (id) ON DELETE CASCADE,
  level integer NOT NULL,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX tickets_assignee__ticket_id__level__user_id__unique ON tickets_assignee (ticket_id, level, user_id);
CREATE INDEX tickets_assignee__user_id ON tickets_assignee (user_id);

-- The last serial number of each day.
CREATE TABLE tickets_serial (
  day date PRIMARY KEY,
  last integer NOT NULL
);
