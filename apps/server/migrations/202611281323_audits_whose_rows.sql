-- Sign-ins and password changes are of a person and of the organisations that the person belonged to at that time,
-- whatever becomes of their name, of their memberships or of themselves. Null in rows from before; empty where nobody was
-- known.
ALTER TABLE audits_login_log ADD COLUMN user_id uuid;
ALTER TABLE audits_login_log ADD COLUMN org_ids uuid[];
ALTER TABLE audits_password_change_log ADD COLUMN org_ids uuid[];
