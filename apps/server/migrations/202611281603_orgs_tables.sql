-- Organizations (tenants). The root organization is not stored: it is the view over all of them.
CREATE TABLE orgs_organization (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX orgs_organization__name__unique ON orgs_organization (name);

INSERT INTO orgs_organization (id, name, created_by)
  VALUES ('00000000-0000-0000-0000-000000000002', 'Default', 'System');

ALTER TABLE users_user_group ADD FOREIGN KEY (org_id) REFERENCES orgs_organization (id);

-- Who belongs to which organization, as what. A person may hold several roles in one.
CREATE TABLE orgs_member (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org uuid NOT NULL REFERENCES orgs_organization (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  role text NOT NULL DEFAULT 'User'
);
CREATE UNIQUE INDEX orgs_member__org__user__role__unique ON orgs_member (org, "user", role);
CREATE INDEX orgs_member__user ON orgs_member ("user");

-- An administrator of one organization invites; membership begins when the person accepts.
CREATE TABLE orgs_invitation (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  roles text[] NOT NULL CHECK (cardinality(roles) > 0),
  -- declined and withdrawn ones stay until they expire, so that nobody is asked again and again
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'declined', 'withdrawn')),
  inviter uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  invited_by text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE UNIQUE INDEX orgs_invitation__org_id__user__unique ON orgs_invitation (org_id, "user");
CREATE INDEX orgs_invitation__user ON orgs_invitation ("user");
CREATE INDEX orgs_invitation__inviter ON orgs_invitation (inviter);

-- ---------------------------------------------------------------- what other domains may read
-- The tables themselves are private to orgs.

CREATE VIEW orgs_listed_organization AS
  SELECT id, name FROM orgs_organization;

-- Who belongs to which organization; one row a role.
CREATE VIEW orgs_membership AS
  SELECT "user" AS user_id, org AS org_id, role FROM orgs_member;
