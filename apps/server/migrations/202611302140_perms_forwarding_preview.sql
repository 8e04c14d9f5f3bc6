-- A preview shows where connections may be forwarded to from then on, or no longer.
DROP TRIGGER note_permission_ ON perms_permission;
DROP TRIGGER note_changed_permission_ ON perms_permission;
CALL kernel_watch_rights('perms_permission', 'permission', 'id', '',
  'org_id', 'is_active', 'actions', 'databases', 'forwarding', 'forwarding_destinations', 'date_start', 'date_expired');
