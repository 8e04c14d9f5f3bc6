-- Requests that somebody else decides. A closed ticket is final.
CREATE TABLE tickets_ticket (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  serial_num text NOT NULL,
  title text NOT NULL,
  type text NOT NULL CHECK (
    type IN ('general', 'login_confirm', 'apply_asset', 'apply_application', 'login_asset_confirm', 'command_confirm')
  ),
  -- What was asked for, which is evidence.
  meta jsonb NOT NULL DEFAULT '{}',
  -- What those who decide have made of it; each change is a comment.
  amended jsonb,
  -- The zone in which the applicant wrote the dates of `meta`, which carry none.
  time_zone text NOT NULL DEFAULT '',
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'approved', 'rejected', 'closed')),
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
  approval_step integer NOT NULL DEFAULT 1 CHECK (approval_step IN (1, 2)),
  process_map jsonb NOT NULL DEFAULT '[]',
  applicant uuid REFERENCES users_user (id) ON DELETE SET NULL,
  applicant_display text NOT NULL,
  comment text NOT NULL DEFAULT '',
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

-- What was said and done about a ticket. `action` marks what the server noted by itself: its words
-- follow the reader's language. Those in the second line say why it closed the ticket.
CREATE TABLE tickets_comment (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  ticket uuid NOT NULL REFERENCES tickets_ticket (id) ON DELETE CASCADE,
  "user" uuid REFERENCES users_user (id) ON DELETE SET NULL,
  user_display text NOT NULL,
  body text NOT NULL DEFAULT '',
  action text CHECK (
    action IN (
      'open', 'amended', 'approved', 'rejected', 'closed',
      'rule', 'session', 'reviewers', 'applicant', 'time', 'renewed', 'fault'
    )
  ),
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tickets_comment__ticket ON tickets_comment (ticket, date_created);

-- The session that a confirmed ticket let in; the first one of a session counts.
CREATE TABLE tickets_session_relation (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  ticket uuid NOT NULL REFERENCES tickets_ticket (id) ON DELETE CASCADE,
  session uuid NOT NULL REFERENCES terminal_session (id) ON DELETE CASCADE,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX tickets_session_relation__session__ticket__unique ON tickets_session_relation (session, ticket);
CREATE INDEX tickets_session_relation__ticket ON tickets_session_relation (ticket);
CALL kernel_guard_organization('tickets_session_relation', 'ticket', 'tickets_ticket', 'session', 'terminal_session');

-- ---------------------------------------------------------------- flows
-- Who decides on tickets of a type, level by level. Flows of the root organization hold where an
-- organization has none of its own for the type.
CREATE TABLE tickets_flow (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  type text NOT NULL CHECK (
    type IN ('general', 'login_confirm', 'apply_asset', 'apply_application', 'login_asset_confirm', 'command_confirm')
  ),
  approval_level integer NOT NULL CHECK (approval_level IN (1, 2)),
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX tickets_flow__type__unique ON tickets_flow (org_id, type);

CREATE TABLE tickets_flow_rule (
  flow_id uuid NOT NULL REFERENCES tickets_flow (id) ON DELETE CASCADE,
  level integer NOT NULL CHECK (level IN (1, 2)),
  strategy text NOT NULL CHECK (strategy IN ('super_admin', 'org_admin', 'super_org_admin', 'custom_user')),
  PRIMARY KEY (flow_id, level)
);

-- The people whom strategy `custom_user` names.
CREATE TABLE tickets_flow_assignee (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  flow_id uuid NOT NULL,
  level integer NOT NULL,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  FOREIGN KEY (flow_id, level) REFERENCES tickets_flow_rule (flow_id, level) ON DELETE CASCADE
);
CREATE UNIQUE INDEX tickets_flow_assignee__flow_id__level__user_id__unique
  ON tickets_flow_assignee (flow_id, level, user_id);
CREATE INDEX tickets_flow_assignee__user_id ON tickets_flow_assignee (user_id);

-- Requests for access are decided by system administrators, until somebody says otherwise.
WITH flow AS (
  INSERT INTO tickets_flow (org_id, type, approval_level, created_by)
  SELECT '00000000-0000-0000-0000-000000000000', type, 1, 'System'
    FROM unnest(ARRAY['apply_asset', 'apply_application']) AS type
  RETURNING id
)
INSERT INTO tickets_flow_rule (flow_id, level, strategy) SELECT id, 1, 'super_admin' FROM flow;

-- Flows go with their organization.
CREATE FUNCTION tickets_flow_follow_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tickets_flow WHERE org_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER tickets_flow_follow_organization AFTER DELETE ON orgs_organization
FOR EACH ROW EXECUTE FUNCTION tickets_flow_follow_organization();

-- ---------------------------------------------------------------- what is chained of a ticket
-- What was asked and how it stands, and each comment (audits_tables), by the rules of
-- terminal_session_content.
CREATE FUNCTION tickets_ticket_content(t tickets_ticket) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(t.id, t.org_id, t.type, t.title, t.applicant_display, t.meta, t.comment, t.serial_num, t.time_zone,
    t.date_created, t.state, t.status, t.approval_step, t.process_map, t.amended,
    jsonb_build_object('applicant', t.applicant))::text
$$;
CREATE FUNCTION tickets_comment_content(c tickets_comment) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(c.id, c.ticket, c.user_display, c.body, c.action, c.date_created,
    jsonb_build_object('user', c."user"))::text
$$;
