/** One row of each kind that is chained, all of them over, as the product writes them. */
import { createHash } from 'node:crypto'
import type pg from 'pg'

const ORG = '00000000-0000-0000-0000-000000000002'

/** The recording of the sample's session, before packing. */
export const RECORDING = 'a recording'

/** By table: what is written, one after the other; later ones refer to earlier ones. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  audits_login_log: [
    `INSERT INTO audits_login_log (username, ip) VALUES ('ann', '192.0.2.7'), ('bob', '192.0.2.8'), ('eve', '192.0.2.9')`,
  ],
  audits_operate_log: [
    `INSERT INTO audits_operate_log ("user", action, resource_type, resource, org_id, user_id, changes)
     SELECT 'Ann(ann)', 'update', 'Asset', 'web-' || n, '${ORG}', uuidv7(), '[{"field": "ip"}]' FROM generate_series(1, 3) n`,
  ],
  audits_ftp_log: [
    `INSERT INTO audits_ftp_log ("user", asset, "system_user", org_id, operate, filename, session_id)
     SELECT 'Ann(ann)', 'web', 'root', '${ORG}', 'Upload', '/tmp/' || n, uuidv7() FROM generate_series(1, 3) n`,
  ],
  audits_password_change_log: [
    `INSERT INTO audits_password_change_log ("user", change_by, user_id)
     SELECT 'Ann(ann)', 'Ann(ann)', uuidv7() FROM generate_series(1, 3)`,
  ],
  kernel_secret_look: [
    `INSERT INTO kernel_secret_look (how, reason, owner_kind, owner_id, owner, org_id, "user", remote_addr)
     SELECT 'reveal', 'a test', 'gateway', uuidv7(), 'door', '${ORG}', 'Ann(ann)', '192.0.2.7' FROM generate_series(1, 3)`,
  ],
  terminal_session: [
    `INSERT INTO terminal_session (org_id, "user", asset, "system_user", remote_addr, is_success)
     SELECT '${ORG}', 'Ann(ann)', 'web', 'root', '192.0.2.7', false FROM generate_series(1, 2)`,
    `UPDATE terminal_session SET is_success = true`,
    `UPDATE terminal_session SET has_replay = true, replay_sha256 = '${createHash('sha256').update(RECORDING).digest('hex')}'`,
    `UPDATE terminal_session SET is_finished = true, date_end = now()`,
  ],
  terminal_session_event: [
    `INSERT INTO terminal_session_event (org_id, session, event, "user") SELECT org_id, id, 'locked', 'Bob(bob)' FROM terminal_session`,
  ],
  terminal_session_sharing: [
    `INSERT INTO terminal_session_sharing (org_id, session, verify_code, created_by)
     SELECT org_id, id, 'ab12', 'Ann' FROM terminal_session`,
  ],
  terminal_session_join_record: [
    `INSERT INTO terminal_session_join_record (org_id, session, sharing, joiner_display, verify_code)
     SELECT org_id, session, id, 'Gus(gus)', 'ab12' FROM terminal_session_sharing`,
    `UPDATE terminal_session_join_record SET is_finished = true, date_left = now()`,
  ],
  terminal_forwarded_connection: [
    `INSERT INTO terminal_forwarded_connection (org_id, session_id, "user", user_id, asset, asset_id, "system_user", destination)
     SELECT org_id, id, 'Ann(ann)', uuidv7(), 'web', uuidv7(), 'root', '10.0.0.7:5432' FROM terminal_session`,
    `UPDATE terminal_forwarded_connection SET outcome = 'closed', bytes_sent = 7, bytes_received = 9, date_end = now()`,
    `INSERT INTO terminal_forwarded_connection
       (org_id, "user", user_id, asset, asset_id, "system_user", destination, outcome, reason)
     VALUES ('${ORG}', 'Ann(ann)', uuidv7(), 'web', uuidv7(), 'root', '10.0.0.9:22', 'refused', 'Not granted')`,
  ],
  terminal_command: [
    `INSERT INTO terminal_command (org_id, "user", asset, "system_user", input, output, session, timestamp)
     SELECT org_id, "user", asset, "system_user", 'select ' || n, 'ü "out"', id, extract(epoch FROM now())::bigint
     FROM terminal_session, generate_series(2, 4) n`,
    `INSERT INTO terminal_command (org_id, "user", asset, "system_user", input, output, session, timestamp)
     SELECT org_id, "user", asset, "system_user", 'select 1', 'ü "out"', id, extract(epoch FROM now())::bigint FROM terminal_session`,
  ],
  terminal_statement: [
    `INSERT INTO terminal_statement (command, text, bytes) SELECT id, input, 8 FROM terminal_command ORDER BY id LIMIT 2`,
    `INSERT INTO terminal_statement (command, text, bytes) SELECT id, input, 8 FROM terminal_command ORDER BY id OFFSET 2 LIMIT 1`,
  ],
  ops_command_execution: [
    `INSERT INTO ops_command_execution (id, org_id, user_id, "user", run_as, command)
     SELECT uuidv7(), '${ORG}', uuidv7(), 'Ann(ann)', uuidv7(), 'uptime' FROM generate_series(1, 2)`,
  ],
  ops_command_execution_host: [
    `INSERT INTO ops_command_execution_host (execution, asset, name) SELECT id, uuidv7(), 'web' FROM ops_command_execution`,
    `UPDATE ops_command_execution_host SET state = 'running'`,
    `UPDATE ops_command_execution_host SET state = 'failed', code = 1, stdout = 'up', stderr = 'no'`,
    `UPDATE ops_command_execution SET is_finished = true, date_start = now(), date_finished = now()`,
  ],
  tickets_ticket: [
    `INSERT INTO tickets_ticket (title, type, applicant_display, org_id, serial_num, process_map)
     SELECT 'Access to web', 'general', 'Ann(ann)', '${ORG}', 'sample' || n, '[{"state": "notified"}]' FROM generate_series(1, 2) n`,
    `UPDATE tickets_ticket SET amended = '{"apply_assets": ["web"]}'`,
    `UPDATE tickets_ticket SET state = 'rejected', status = 'closed', process_map = '[{"state": "rejected"}]'`,
  ],
  tickets_comment: [
    `INSERT INTO tickets_comment (ticket, user_display, action) SELECT id, 'Bob(bob)', 'rejected' FROM tickets_ticket`,
  ],
  ops_adhoc_execution: [
    `INSERT INTO ops_adhoc_execution (id, org_id, task_display, hosts_amount) SELECT uuidv7(), '${ORG}', 'Test', 1 FROM generate_series(1, 2)`,
  ],
  ops_adhoc_execution_host: [
    `INSERT INTO ops_adhoc_execution_host (execution, asset, name, is_success, results)
     SELECT id, uuidv7(), 'web', false, '{"ping": {"ok": false}}' FROM ops_adhoc_execution`,
    `UPDATE ops_adhoc_execution SET is_finished = true, date_finished = now()`,
  ],
}

/** Writes them, each statement in a transaction of its own as the product does. */
export async function writeSample(pool: pg.Pool): Promise<void> {
  for (const statements of Object.values(SAMPLES)) for (const statement of statements) await pool.query(statement)
}
