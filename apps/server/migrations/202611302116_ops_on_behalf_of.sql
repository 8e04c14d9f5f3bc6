-- For whom a service identity or an agent ran a batch command; NULL for people. Chained with its name, so
-- that runs of people keep their content.
ALTER TABLE ops_command_execution ADD COLUMN on_behalf_of text;
CREATE OR REPLACE FUNCTION ops_command_execution_content(e ops_command_execution) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(e.id, e.org_id, e.user_id,
      CASE WHEN e.on_behalf_of IS NULL THEN to_jsonb(e."user") ELSE jsonb_build_array(e."user", e.on_behalf_of) END,
      e.remote_addr, e.run_as, e.run_as_display, e.command, e.date_created)
    || CASE WHEN e.is_finished THEN jsonb_build_array(e.error, e.date_start, e.date_finished) ELSE '[]' END
    || jsonb_build_array(jsonb_build_object('runbook', e.runbook, 'runbook_display', e.runbook_display,
      'handed', e.handed)))::text
$$;
