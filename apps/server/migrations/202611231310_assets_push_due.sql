-- System users that are pushed by themselves: which of their accounts on machines have to be made, or brought up to date. Whatever links an asset or a person to a
-- system user tells so in its own transaction, whichever code it comes from.
ALTER TABLE assets_account ADD COLUMN push_due boolean NOT NULL DEFAULT false;
CREATE INDEX assets_account__push_due ON assets_account (org_id) WHERE push_due;

-- What is pushed at all (contract/assets.yaml system_user rules).
CREATE FUNCTION assets_is_pushed(wanted uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM assets_system_user WHERE id = wanted AND auto_push AND protocol = 'ssh' AND login_mode = 'auto')
$$;

CREATE FUNCTION assets_push_is_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('sallyport', '{"name":"assets.push_due"}');
  RETURN NULL;
END $$;

-- A new link is a new account.
CREATE FUNCTION assets_account_is_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.push_due := assets_is_pushed(NEW.systemuser);
  RETURN NEW;
END $$;
CREATE TRIGGER push_new BEFORE INSERT ON assets_account FOR EACH ROW WHEN (NEW.systemuser IS NOT NULL AND NEW.username = '')
  EXECUTE FUNCTION assets_account_is_new();
CREATE TRIGGER push_due AFTER INSERT ON assets_account FOR EACH ROW WHEN (NEW.push_due) EXECUTE FUNCTION assets_push_is_due();
CREATE TRIGGER push_due_again AFTER UPDATE OF push_due ON assets_account FOR EACH ROW WHEN (NEW.push_due AND NOT OLD.push_due)
  EXECUTE FUNCTION assets_push_is_due();

-- System users that take people's names have a further account on each machine for each person.
CREATE FUNCTION assets_push_all(wanted uuid) RETURNS void LANGUAGE sql AS $$
  UPDATE assets_account SET push_due = true WHERE systemuser = wanted AND username = '' AND NOT push_due AND assets_is_pushed(wanted)
$$;
CREATE FUNCTION assets_person_is_linked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM assets_push_all(NEW.systemuser);
  RETURN NULL;
END $$;
CREATE TRIGGER push_person AFTER INSERT ON assets_system_user_user FOR EACH ROW EXECUTE FUNCTION assets_person_is_linked();
CREATE TRIGGER push_people AFTER INSERT ON assets_system_user_group FOR EACH ROW EXECUTE FUNCTION assets_person_is_linked();

-- So has whoever joins a group later.
CREATE FUNCTION assets_person_joins_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM assets_push_all(g.systemuser) FROM (
    SELECT DISTINCT b.systemuser FROM assets_system_user_group b JOIN joined j ON j.usergroup = b."group") g;
  RETURN NULL;
END $$;
CREATE TRIGGER push_joined AFTER INSERT ON users_user_group_user REFERENCING NEW TABLE AS joined
  FOR EACH STATEMENT EXECUTE FUNCTION assets_person_joins_group();
