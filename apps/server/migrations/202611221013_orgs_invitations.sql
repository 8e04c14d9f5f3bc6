-- An administrator of one organisation invites; membership begins when the person accepts.
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
