-- The product that an import brought the session from; NULL for sessions of this installation.
ALTER TABLE terminal_session ADD COLUMN arrived_from text;
-- It is chained with the name of the person; sessions of here keep their content.
CREATE OR REPLACE FUNCTION terminal_session_content(s terminal_session) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(s.id, s.org_id,
      CASE WHEN s.arrived_from IS NOT NULL THEN jsonb_build_array(s."user", s.on_behalf_of, s.arrived_from)
        WHEN s.on_behalf_of IS NULL THEN to_jsonb(s."user") ELSE jsonb_build_array(s."user", s.on_behalf_of) END,
      s.asset, s.system_user, s.user_id, s.asset_id, s.target_family,
      s.system_user_id, s.login_from, s.date_start, s.sign_in_id)
    || CASE WHEN s.is_finished THEN jsonb_build_array(s.is_success, s.protocol, s.remote_addr, s.date_end, s.has_replay,
      s.replay_sha256) ELSE '[]' END
    || jsonb_build_array(jsonb_build_object('terminal', s.terminal)))::text
$$;
-- Recordings are looked for of those that have none yet.
CREATE INDEX terminal_session__arrived ON terminal_session (arrived_from, id) WHERE arrived_from IS NOT NULL;
