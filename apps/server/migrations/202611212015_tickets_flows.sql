-- Who decides on tickets of a type, level by level. Flows of the root organisation hold where an organisation has none of its own for the type.
CREATE TABLE tickets_flow (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('general', 'login_confirm', 'apply_asset', 'apply_application', 'login_asset_confirm', 'command_confirm')),
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
CREATE UNIQUE INDEX tickets_flow_assignee__flow_id__level__user_id__unique ON tickets_flow_assignee (flow_id, level, user_id);
CREATE INDEX tickets_flow_assignee__user_id ON tickets_flow_assignee (user_id);

WITH flow AS (
  INSERT INTO tickets_flow (org_id, type, approval_level, created_by)
  SELECT '00000000-0000-0000-0000-000000000000', type, 1, 'System' FROM unnest(ARRAY['apply_asset', 'apply_application']) AS type
  RETURNING id
)
INSERT INTO tickets_flow_rule (flow_id, level, strategy) SELECT id, 1, 'super_admin' FROM flow;

-- Flows go with their organisation (contract/orgs.yaml `organization`).
CREATE FUNCTION tickets_flow_follow_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tickets_flow WHERE org_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER tickets_flow_follow_organization AFTER DELETE ON orgs_organization
FOR EACH ROW EXECUTE FUNCTION tickets_flow_follow_organization();

-- The zone in which an applicant wrote the dates of `meta`, which carry none.
ALTER TABLE tickets_ticket ADD COLUMN time_zone text NOT NULL DEFAULT '';

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
