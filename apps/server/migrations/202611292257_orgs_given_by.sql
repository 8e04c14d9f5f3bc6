-- The source that gave a membership from outside; empty where somebody here gave it.
ALTER TABLE orgs_member ADD COLUMN given_by text NOT NULL DEFAULT '';
CREATE INDEX orgs_member__given_by ON orgs_member ("user") WHERE given_by <> '';

CREATE OR REPLACE VIEW orgs_membership AS
  SELECT "user" AS user_id, org AS org_id, role, given_by FROM orgs_member;
