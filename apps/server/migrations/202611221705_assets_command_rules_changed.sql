-- The gateway keeps the command rules of open sessions in memory: whatever changes them tells so in its own transaction, whichever code it comes from.
CREATE FUNCTION assets_command_rules_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('sallyport', '{"name":"assets.command_rules_changed"}');
  RETURN NULL;
END $$;

CREATE TRIGGER command_rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON assets_command_filter
  FOR EACH STATEMENT EXECUTE FUNCTION assets_command_rules_changed();
CREATE TRIGGER command_rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON assets_command_filter_rule
  FOR EACH STATEMENT EXECUTE FUNCTION assets_command_rules_changed();
CREATE TRIGGER command_rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON assets_command_filter_user
  FOR EACH STATEMENT EXECUTE FUNCTION assets_command_rules_changed();
CREATE TRIGGER command_rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON assets_command_filter_user_group
  FOR EACH STATEMENT EXECUTE FUNCTION assets_command_rules_changed();
CREATE TRIGGER command_rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON assets_command_filter_system_user
  FOR EACH STATEMENT EXECUTE FUNCTION assets_command_rules_changed();
CREATE TRIGGER command_rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON assets_command_filter_asset
  FOR EACH STATEMENT EXECUTE FUNCTION assets_command_rules_changed();
CREATE TRIGGER command_rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON users_user_group_user
  FOR EACH STATEMENT EXECUTE FUNCTION assets_command_rules_changed();
