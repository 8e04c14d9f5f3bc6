-- What a change of rights does is shown before it is saved: it is written in a transaction that is
-- rolled back (kernel/resource/preview/). Triggers note there which rows that bear rights it has touched, in a
-- temporary table of that transaction. Ordinary writes cost one look at a setting for each row.

-- Arguments: kind, column of the id, column of the other id ('' for none).
CREATE FUNCTION kernel_note_rights() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  one jsonb;
BEGIN
  FOREACH one IN ARRAY CASE TG_OP
    WHEN 'INSERT' THEN ARRAY[to_jsonb(NEW)] WHEN 'DELETE' THEN ARRAY[to_jsonb(OLD)]
    ELSE ARRAY[to_jsonb(OLD), to_jsonb(NEW)] END
  LOOP
    CONTINUE WHEN TG_ARGV[2] <> '' AND one->>TG_ARGV[2] IS NULL;
    INSERT INTO pg_temp.preview_change (kind, id, other, path)
      VALUES (TG_ARGV[0], (one->>TG_ARGV[1])::uuid, (one->>TG_ARGV[2])::uuid, (one->>'path')::ltree);
  END LOOP;
  RETURN NULL;
END $$;

-- Watches a table. Updates count where one of the columns `relevant` has another value. They are
-- compared as text: a dump is restored without a search path, where ltree has no operators.
CREATE PROCEDURE kernel_watch_rights(watched text, kind text, id text, other text, VARIADIC relevant text[])
LANGUAGE plpgsql AS $$
DECLARE
  in_preview text := 'current_setting(''sallyport.preview'', true) = ''on''';
  note text := format('EXECUTE FUNCTION kernel_note_rights(%L, %L, %L)', kind, id, other);
BEGIN
  EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR DELETE ON %I FOR EACH ROW WHEN (%s) %s',
    'note_' || kind || '_' || other, watched, in_preview, note);
  EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %I FOR EACH ROW WHEN (%s AND (%s) IS DISTINCT FROM (%s)) %s',
    'note_changed_' || kind || '_' || other, watched, in_preview,
    (SELECT string_agg(format('OLD.%I::text', one), ', ') FROM unnest(relevant) one),
    (SELECT string_agg(format('NEW.%I::text', one), ', ') FROM unnest(relevant) one), note);
END $$;

CALL kernel_watch_rights('perms_permission', 'permission', 'id', '',
  'org_id', 'is_active', 'actions', 'databases', 'date_start', 'date_expired');
CALL kernel_watch_rights('perms_permission_user', 'permission_person', 'permission', 'user', 'permission', 'user');
CALL kernel_watch_rights('perms_permission_user_group', 'permission_group', 'permission', 'usergroup',
  'permission', 'usergroup');
CALL kernel_watch_rights('perms_permission_system_user', 'permission_account', 'permission', 'systemuser',
  'permission', 'systemuser');
CALL kernel_watch_rights('perms_permission_node', 'permission_node', 'permission', 'node', 'permission', 'node');
CALL kernel_watch_rights('perms_permission_target', 'permission_target', 'permission', 'asset', 'permission', 'asset');
CALL kernel_watch_rights('perms_permission_target', 'permission_target', 'permission', 'application',
  'permission', 'application');
CALL kernel_watch_rights('users_user', 'person', 'id', '', 'is_active', 'date_expired', 'role');
CALL kernel_watch_rights('users_user_group_user', 'group_person', 'usergroup', 'user', 'usergroup', 'user');
CALL kernel_watch_rights('orgs_member', 'member', 'org', 'user', 'org', 'user', 'role');
CALL kernel_watch_rights('assets_asset', 'target', 'id', '', 'org_id', 'is_active', 'protocols');
CALL kernel_watch_rights('assets_asset_node', 'node_target', 'node_id', 'asset_id', 'node_id', 'asset_id');
CALL kernel_watch_rights('assets_node', 'node', 'id', '', 'org_id', 'path');
CALL kernel_watch_rights('assets_system_user', 'account', 'id', '', 'org_id', 'protocol');
CALL kernel_watch_rights('applications_application', 'target', 'id', '', 'org_id', 'category', 'type', 'attrs');
