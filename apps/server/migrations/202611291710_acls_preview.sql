-- Previews say who has to wait for a confirmation: changes of the rules that decide are noted, too
-- (202611291622_perms_preview.sql).

CALL kernel_watch_rights('acls_login_asset_acl', 'access_rule', 'id', '',
  'org_id', 'users', 'system_users', 'assets', 'is_active', 'priority', 'date_updated', 'name');
CALL kernel_watch_rights('acls_login_asset_acl_reviewer', 'access_rule', 'acl_id', '', 'acl_id', 'user_id');
