-- What a chained row refers to is chained as well, by name in an object behind its values: whose ticket it is, which
-- runbook ran. It is emptied where that is deleted, which is no change. Entries from before have no such object.
CREATE OR REPLACE FUNCTION terminal_session_content(s terminal_session) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(s.id, s.org_id, s."user", s.asset, s.system_user, s.user_id, s.asset_id, s.target_family,
      s.system_user_id, s.login_from, s.date_start, s.sign_in_id)
    || CASE WHEN s.is_finished THEN jsonb_build_array(s.is_success, s.protocol, s.remote_addr, s.date_end, s.has_replay, s.replay_sha256)
       ELSE '[]' END
    || jsonb_build_array(jsonb_build_object('terminal', s.terminal)))::text
$$;
CREATE OR REPLACE FUNCTION terminal_sharing_content(s terminal_session_sharing) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(s.id, s.org_id, s.session, s.created_by, s.action_permission, s.expired_time, s.date_created,
    jsonb_build_object('creator', s.creator))::text
$$;
CREATE OR REPLACE FUNCTION terminal_join_content(j terminal_session_join_record) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(j.id, j.org_id, j.session, j.sharing, j.joiner_display, j.remote_addr, j.login_from, j.date_joined)
    || CASE WHEN j.is_finished THEN jsonb_build_array(j.is_success, j.reason, j.date_left) ELSE '[]' END
    || jsonb_build_array(jsonb_build_object('joiner', j.joiner)))::text
$$;
CREATE OR REPLACE FUNCTION ops_command_execution_content(e ops_command_execution) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(e.id, e.org_id, e.user_id, e."user", e.remote_addr, e.run_as, e.run_as_display, e.command, e.date_created)
    || CASE WHEN e.is_finished THEN jsonb_build_array(e.error, e.date_start, e.date_finished) ELSE '[]' END
    || jsonb_build_array(jsonb_build_object('runbook', e.runbook, 'runbook_display', e.runbook_display, 'handed', e.handed)))::text
$$;
CREATE OR REPLACE FUNCTION tickets_ticket_content(t tickets_ticket) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(t.id, t.org_id, t.type, t.title, t.applicant_display, t.meta, t.comment, t.serial_num, t.time_zone,
    t.date_created, t.state, t.status, t.approval_step, t.process_map, jsonb_build_object('applicant', t.applicant))::text
$$;
CREATE OR REPLACE FUNCTION tickets_comment_content(c tickets_comment) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(c.id, c.ticket, c.user_display, c.body, c.action, c.date_created,
    jsonb_build_object('user', c."user"))::text
$$;
CREATE OR REPLACE FUNCTION ops_adhoc_execution_content(e ops_adhoc_execution) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(e.id, e.org_id, e.task_display, e.hosts_amount, e.date_start)
    || CASE WHEN e.is_finished THEN jsonb_build_array(e.is_success, e.date_finished) ELSE '[]' END
    || jsonb_build_array(jsonb_build_object('task', e.task, 'adhoc', e.adhoc)))::text
$$;
CREATE OR REPLACE FUNCTION audits_chain_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_execution_entry (kind, row_id, body, date)
    SELECT 'outcome', md5(h.execution::text || h.asset)::uuid,
      (jsonb_build_array(h.execution, h.asset, h.name, h.state, h.code, h.is_cut, h.error,
        encode(sha256(convert_to(h.stdout, 'UTF8')), 'hex'), encode(sha256(convert_to(h.stderr, 'UTF8')), 'hex'))
      || CASE WHEN h.command IS NULL THEN '[]' ELSE jsonb_build_array(h.command) END
      || jsonb_build_array(jsonb_build_object('ticket', h.ticket, 'milliseconds', h.milliseconds)))::text,
      e.date_created
    FROM changed h JOIN ops_command_execution e ON e.id = h.execution WHERE h.state NOT IN ('waiting', 'held', 'running');
  RETURN NULL;
END $$;
