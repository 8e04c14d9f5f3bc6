-- What other domains may ask of organisations; the tables themselves are private to orgs.

CREATE VIEW orgs_listed_organization AS
  SELECT id, name FROM orgs_organization;

-- Who belongs to which organisation; one row a role.
CREATE VIEW orgs_membership AS
  SELECT "user" AS user_id, org AS org_id, role FROM orgs_member;
