-- Previews say whose commands are judged: changes of the filters, of their rules and of what they are
-- bound to are noted, too (202611291622_perms_preview.sql).

CALL kernel_watch_rights('assets_command_filter', 'command_filter', 'id', '', 'org_id', 'is_active', 'name');
CALL kernel_watch_rights('assets_command_filter_rule', 'command_filter', 'filter', '',
  'filter', 'type', 'content', 'ignore_case', 'priority', 'action');
CALL kernel_watch_rights('assets_command_filter_user', 'command_filter', 'filter_id', '', 'filter_id', 'user_id');
CALL kernel_watch_rights('assets_command_filter_user_group', 'command_filter', 'filter_id', '',
  'filter_id', 'group_id');
CALL kernel_watch_rights('assets_command_filter_system_user', 'command_filter', 'filter_id', '',
  'filter_id', 'system_user_id');
CALL kernel_watch_rights('assets_command_filter_asset', 'command_filter', 'filter_id', '', 'filter_id', 'asset_id');
CALL kernel_watch_rights('assets_command_filter_application', 'command_filter', 'filter_id', '',
  'filter_id', 'application_id');
