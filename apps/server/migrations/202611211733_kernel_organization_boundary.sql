-- What belongs to one organisation refers to nothing of another. The resource engine refuses such a reference before it gets here; this is for the day when a
-- route, a job or a script forgets: the database then refuses the write (e2e/security/23-tenant-boundary.spec.ts takes the engine away and tries).
-- Rows that were written earlier are not looked at.

-- Guards a table: with one column and the table it refers to, against the row's own organisation; with two of each, for pairs without an organisation of their
-- own, against one another. Each guard is a function of its own, so that its query is planned once for a connection, and costs some ten microseconds a row.
-- Named so as to come after the triggers `follow_…`, which give a row its organisation. The arguments tell the test what is guarded.
CREATE PROCEDURE kernel_guard_organization(guarded text, VARIADIC reference text[]) LANGUAGE plpgsql AS $$
DECLARE
  name text := format('%s_organization_of_%s', guarded, reference[1]);
  is_foreign text := CASE cardinality(reference)
    WHEN 2 THEN format('SELECT 1 FROM %I r WHERE r.id = NEW.%I AND r.org_id <> NEW.org_id', reference[2], reference[1])
    ELSE format('SELECT 1 FROM %I a JOIN %I b ON a.org_id <> b.org_id WHERE a.id = NEW.%I AND b.id = NEW.%I', reference[2], reference[4], reference[1], reference[3])
  END;
BEGIN
  EXECUTE format(
    'CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', name,
    format('BEGIN IF EXISTS (%s) THEN RAISE EXCEPTION %L USING ERRCODE = %L; END IF; RETURN NEW; END', is_foreign,
      format('%s of another organization in %s', reference[1], guarded), 'integrity_constraint_violation')
  );
  EXECUTE format(
    'CREATE TRIGGER %I BEFORE INSERT OR UPDATE OF %s ON %I FOR EACH ROW WHEN (NEW.%I IS NOT NULL) EXECUTE FUNCTION %I(%s)',
    'organization_of_' || reference[1],
    (SELECT string_agg(quote_ident(reference[n]), ', ') FROM generate_series(1, cardinality(reference), 2) n) || CASE cardinality(reference) WHEN 2 THEN ', org_id' ELSE '' END,
    guarded, reference[1], name,
    (SELECT string_agg(quote_literal(one), ', ') FROM unnest(reference) one)
  );
END $$;

CALL kernel_guard_organization('assets_account', 'systemuser', 'assets_system_user');
CALL kernel_guard_organization('assets_asset', 'domain', 'assets_domain');
CALL kernel_guard_organization('assets_asset', 'admin_user', 'assets_system_user');
CALL kernel_guard_organization('assets_command_filter_rule', 'filter', 'assets_command_filter');
CALL kernel_guard_organization('assets_gateway', 'domain', 'assets_domain');
CALL kernel_guard_organization('assets_system_user', 'su_from', 'assets_system_user');
CALL kernel_guard_organization('assets_system_user_group', 'group', 'users_user_group');
CALL kernel_guard_organization('assets_system_user_node', 'node', 'assets_node');
CALL kernel_guard_organization('perms_asset_permission_asset', 'asset', 'assets_asset');
CALL kernel_guard_organization('perms_asset_permission_node', 'node', 'assets_node');
CALL kernel_guard_organization('perms_asset_permission_system_user', 'systemuser', 'assets_system_user');
CALL kernel_guard_organization('perms_asset_permission_user_group', 'usergroup', 'users_user_group');
CALL kernel_guard_organization('terminal_session_event', 'session', 'terminal_session');
CALL kernel_guard_organization('terminal_session_join_record', 'session', 'terminal_session');
CALL kernel_guard_organization('terminal_session_sharing', 'session', 'terminal_session');

CALL kernel_guard_organization('assets_asset_node', 'asset_id', 'assets_asset', 'node_id', 'assets_node');
CALL kernel_guard_organization('assets_label_asset', 'label_id', 'assets_label', 'asset_id', 'assets_asset');
CALL kernel_guard_organization('assets_command_filter_asset', 'filter_id', 'assets_command_filter', 'asset_id', 'assets_asset');
CALL kernel_guard_organization('assets_command_filter_system_user', 'filter_id', 'assets_command_filter', 'system_user_id', 'assets_system_user');
CALL kernel_guard_organization('assets_command_filter_user_group', 'filter_id', 'assets_command_filter', 'group_id', 'users_user_group');
