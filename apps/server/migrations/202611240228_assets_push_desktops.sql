-- System users of remote desktops are pushed too: to Windows machines, whose accounts they are (contract/assets.yaml system_user rules).
CREATE OR REPLACE FUNCTION assets_is_pushed(wanted uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM assets_system_user WHERE id = wanted AND auto_push AND protocol IN ('ssh', 'rdp') AND login_mode = 'auto')
$$;
