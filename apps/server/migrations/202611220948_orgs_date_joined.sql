-- Since when people belong to an organisation: what they did before is none of its business. Unknown for memberships that are older than this column.
ALTER TABLE orgs_member ADD COLUMN date_joined timestamptz;

-- A change of role is no new beginning: a further role counts from the first one.
CREATE FUNCTION orgs_member_joined() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT CASE WHEN bool_or(m.date_joined IS NULL) THEN NULL ELSE coalesce(min(m.date_joined), now()) END INTO NEW.date_joined
  FROM orgs_member m WHERE m.org = NEW.org AND m."user" = NEW."user";
  RETURN NEW;
END $$;
CREATE TRIGGER joined BEFORE INSERT ON orgs_member FOR EACH ROW EXECUTE FUNCTION orgs_member_joined();

CREATE OR REPLACE VIEW orgs_membership AS
  SELECT "user" AS user_id, org AS org_id, role, coalesce(date_joined, '-infinity') AS date_joined FROM orgs_member;
