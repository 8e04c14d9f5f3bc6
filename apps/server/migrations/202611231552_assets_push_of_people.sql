-- People and groups come to a system user by the thousand in one statement: its accounts are looked at once for each system user, not once for each person.
CREATE OR REPLACE FUNCTION assets_person_is_linked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM assets_push_all(l.systemuser) FROM (SELECT DISTINCT systemuser FROM linked) l;
  RETURN NULL;
END $$;
DROP TRIGGER push_person ON assets_system_user_user;
DROP TRIGGER push_people ON assets_system_user_group;
CREATE TRIGGER push_person AFTER INSERT ON assets_system_user_user REFERENCING NEW TABLE AS linked
  FOR EACH STATEMENT EXECUTE FUNCTION assets_person_is_linked();
CREATE TRIGGER push_people AFTER INSERT ON assets_system_user_group REFERENCING NEW TABLE AS linked
  FOR EACH STATEMENT EXECUTE FUNCTION assets_person_is_linked();

-- Each minute somebody asks for accounts whose change was left by a lost node.
CREATE INDEX accounts_change_task__running ON accounts_change_task (date_start) WHERE state = 'running';
