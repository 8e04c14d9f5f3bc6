-- Changes by people can be taken back for some days (kernel/undo/). Within a transaction that names
-- its change (`sallyport.change`), triggers keep the rows of what people configure as they were and
-- as they are then, with what goes by a cascade and what is written by hand. Nothing is kept of any
-- other transaction: jobs, sign-ins, reports of machines.
--
--   change  one transaction of one request
--   row     old and new columns that differ; all of them where a row came or went. Sealed values
--           stay sealed, in the form of `SealedInJson`, so that a rotation of the key finds them.
CREATE TABLE kernel_undo_row (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  change uuid NOT NULL,
  table_name text NOT NULL,
  -- the columns of the primary key, or all of a table of pairs
  key jsonb NOT NULL,
  before jsonb,
  after jsonb,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX kernel_undo_row__change ON kernel_undo_row (change, id);
CREATE INDEX kernel_undo_row__date_created ON kernel_undo_row USING brin (date_created);
-- Rows of one object are emptied when it is erased for good.
CREATE INDEX kernel_undo_row__key ON kernel_undo_row USING hash ((key ->> 'id'));

-- Which rows of the operate log are of which change, and of which import.
CREATE TABLE kernel_undo_log (
  log uuid PRIMARY KEY,
  change uuid NOT NULL,
  batch uuid,
  -- the row or change that this one took back
  undoes uuid,
  date_undone timestamptz,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX kernel_undo_log__change ON kernel_undo_log (change);
CREATE INDEX kernel_undo_log__batch ON kernel_undo_log (batch) WHERE batch IS NOT NULL;
CREATE INDEX kernel_undo_log__undoes ON kernel_undo_log (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX kernel_undo_log__date_created ON kernel_undo_log USING brin (date_created);

-- What the rows of an import are taken back by, where its client has given one for several.
ALTER TABLE kernel_import_job ADD COLUMN batch uuid;

-- A row as JSON. Sealed columns come as hexadecimal text, and are kept in the form of documents.
CREATE FUNCTION kernel_row_image(stored jsonb, sealed text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN sealed = '{}' THEN stored ELSE stored || coalesce((
    SELECT jsonb_object_agg(name, jsonb_build_object('$sealed',
      translate(encode(decode(substr(stored ->> name, 3), 'hex'), 'base64'), E'\n', '')))
    FROM unnest(sealed) name WHERE stored ->> name IS NOT NULL), '{}') END
$$;
-- And back, as `jsonb_populate_record` reads it.
CREATE FUNCTION kernel_image_row(image jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT image || coalesce((
    SELECT jsonb_object_agg(key, '\x' || encode(decode(value ->> '$sealed', 'base64'), 'hex'))
    FROM jsonb_each(image) WHERE key LIKE '%\_sealed' AND jsonb_typeof(value) = 'object'), '{}')
$$;
CREATE FUNCTION kernel_image_key(image jsonb, names text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE cardinality(names)
    WHEN 0 THEN image
    WHEN 1 THEN jsonb_build_object(names[1], image -> names[1])
    ELSE (SELECT jsonb_object_agg(name, image -> name) FROM unnest(names) name) END
$$;
-- The columns of `image` that are others in `other`.
CREATE FUNCTION kernel_image_difference(image jsonb, other jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(image)
  WHERE other -> key IS DISTINCT FROM value
$$;

-- Arguments: columns of the key, sealed columns, columns that are generated.
CREATE FUNCTION kernel_keep_whole() RETURNS trigger LANGUAGE plpgsql SET bytea_output = 'hex' AS $$
BEGIN
  INSERT INTO kernel_undo_row (change, table_name, key, before, after)
    SELECT current_setting('sallyport.change')::uuid, TG_TABLE_NAME, kernel_image_key(i.image, TG_ARGV[0]::text[]),
      CASE TG_OP WHEN 'DELETE' THEN i.image END, CASE TG_OP WHEN 'INSERT' THEN i.image END
    FROM (SELECT kernel_row_image(to_jsonb(r) - TG_ARGV[2]::text[], TG_ARGV[1]::text[]) AS image FROM whole r) i;
  RETURN NULL;
END $$;
CREATE FUNCTION kernel_keep_changed() RETURNS trigger LANGUAGE plpgsql SET bytea_output = 'hex' AS $$
BEGIN
  INSERT INTO kernel_undo_row (change, table_name, key, before, after)
    SELECT current_setting('sallyport.change')::uuid, TG_TABLE_NAME, coalesce(o.key, n.key),
      CASE WHEN n.key IS NULL THEN o.image ELSE kernel_image_difference(o.image, n.image) END,
      CASE WHEN o.key IS NULL THEN n.image ELSE kernel_image_difference(n.image, o.image) END
    FROM (
      SELECT i.image, kernel_image_key(i.image, TG_ARGV[0]::text[]) AS key
      FROM (SELECT kernel_row_image(to_jsonb(r) - TG_ARGV[2]::text[], TG_ARGV[1]::text[]) AS image FROM removed r) i
    ) o FULL JOIN (
      SELECT i.image, kernel_image_key(i.image, TG_ARGV[0]::text[]) AS key
      FROM (SELECT kernel_row_image(to_jsonb(r) - TG_ARGV[2]::text[], TG_ARGV[1]::text[]) AS image FROM added r) i
    ) n ON n.key = o.key
    WHERE n.image IS DISTINCT FROM o.image;
  RETURN NULL;
END $$;

CREATE FUNCTION kernel_note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kernel_undo_log (log, change, batch, undoes)
    SELECT id, current_setting('sallyport.change')::uuid, nullif(current_setting('sallyport.batch', true), '')::uuid,
      nullif(current_setting('sallyport.undoes', true), '')::uuid
    FROM added;
  RETURN NULL;
END $$;
CREATE TRIGGER undo_note AFTER INSERT ON audits_operate_log REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT WHEN (current_setting('sallyport.change', true) <> '') EXECUTE FUNCTION kernel_note_change();

-- Rows of these tables are kept from here on. A column that comes later is kept by itself; sealed and
-- generated ones are not known before this is called again.
CREATE PROCEDURE kernel_keep_for_undo(VARIADIC tables text[]) LANGUAGE plpgsql AS $$
DECLARE
  kept text;
  arguments text;
BEGIN
  FOREACH kept IN ARRAY tables LOOP
    SELECT format('%L, %L, %L',
      coalesce((SELECT array_agg(a.attname ORDER BY a.attnum) FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
        WHERE i.indrelid = kept::regclass AND i.indisprimary), '{}')::text[],
      coalesce((SELECT array_agg(attname) FROM pg_attribute WHERE attrelid = kept::regclass AND attnum > 0
        AND NOT attisdropped AND atttypid = 'bytea'::regtype AND attname LIKE '%\_sealed'), '{}')::text[],
      coalesce((SELECT array_agg(attname) FROM pg_attribute WHERE attrelid = kept::regclass AND attnum > 0
        AND NOT attisdropped AND attgenerated <> ''), '{}')::text[])
      INTO arguments;
    EXECUTE format('CREATE OR REPLACE TRIGGER undo_added AFTER INSERT ON %I REFERENCING NEW TABLE AS whole
      FOR EACH STATEMENT WHEN (current_setting(''sallyport.change'', true) <> '''')
      EXECUTE FUNCTION kernel_keep_whole(%s)', kept, arguments);
    EXECUTE format('CREATE OR REPLACE TRIGGER undo_removed AFTER DELETE ON %I REFERENCING OLD TABLE AS whole
      FOR EACH STATEMENT WHEN (current_setting(''sallyport.change'', true) <> '''')
      EXECUTE FUNCTION kernel_keep_whole(%s)', kept, arguments);
    EXECUTE format('CREATE OR REPLACE TRIGGER undo_changed AFTER UPDATE ON %I
      REFERENCING OLD TABLE AS removed NEW TABLE AS added
      FOR EACH STATEMENT WHEN (current_setting(''sallyport.change'', true) <> '''')
      EXECUTE FUNCTION kernel_keep_changed(%s)', kept, arguments);
  END LOOP;
END $$;

CALL kernel_keep_for_undo(
  'accounts_backup_plan', 'accounts_backup_plan_recipient',
  'accounts_break_glass', 'accounts_break_glass_account', 'accounts_break_glass_app', 'accounts_break_glass_asset',
  'accounts_break_glass_holder',
  'accounts_change_plan', 'accounts_change_plan_app', 'accounts_change_plan_asset', 'accounts_change_plan_node',
  'accounts_change_plan_recipient', 'accounts_change_plan_system_user',
  'accounts_gather_task', 'accounts_gather_task_node',
  'acls_login_acl', 'acls_login_acl_reviewer', 'acls_login_asset_acl', 'acls_login_asset_acl_reviewer',
  'applications_account', 'applications_application',
  'assets_account', 'assets_asset', 'assets_asset_node', 'assets_domain', 'assets_favorite_asset', 'assets_gateway',
  'assets_host_key', 'assets_label', 'assets_label_asset', 'assets_node', 'assets_platform', 'assets_server_key',
  'assets_system_user', 'assets_system_user_group', 'assets_system_user_node', 'assets_system_user_user',
  'assets_command_filter', 'assets_command_filter_application', 'assets_command_filter_asset',
  'assets_command_filter_rule', 'assets_command_filter_rule_reviewer', 'assets_command_filter_system_user',
  'assets_command_filter_user', 'assets_command_filter_user_group',
  'authentication_access_key', 'authentication_outside_account', 'authentication_passkey',
  'cloud_account', 'cloud_sync_task',
  'kernel_secret_version',
  'notifications_system_subscription', 'notifications_system_subscription_group',
  'notifications_system_subscription_user', 'notifications_user_subscription',
  'ops_adhoc', 'ops_adhoc_host', 'ops_runbook', 'ops_runbook_file', 'ops_runbook_schedule',
  'ops_runbook_schedule_host', 'ops_runbook_version', 'ops_task',
  'orgs_member', 'orgs_organization',
  'perms_permission', 'perms_permission_node', 'perms_permission_system_user', 'perms_permission_target',
  'perms_permission_user', 'perms_permission_user_group',
  'terminal_command_storage', 'terminal_replay_storage', 'terminal_terminal',
  'tickets_flow', 'tickets_flow_assignee', 'tickets_flow_rule',
  'users_list_view', 'users_password_history', 'users_user', 'users_user_group', 'users_user_group_user'
);
