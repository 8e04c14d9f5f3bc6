-- Tickets that were decided, comments, and runs that were over before these were chained (202611231925). None of them
-- changes any more, so that nothing has to be kept from being written meanwhile.
SET LOCAL timezone TO 'UTC';
INSERT INTO audits_ticket_entry (kind, row_id, body, date)
  SELECT 'ticket', t.id, tickets_ticket_content(t), t.date_created FROM tickets_ticket t
  WHERE t.status <> 'open' AND NOT EXISTS (SELECT FROM audits_ticket_entry e WHERE e.kind = 'ticket' AND e.row_id = t.id)
  ORDER BY t.date_created;
INSERT INTO audits_ticket_entry (kind, row_id, body, date)
  SELECT 'ticket_comment', c.id, tickets_comment_content(c), c.date_created FROM tickets_comment c
  WHERE NOT EXISTS (SELECT FROM audits_ticket_entry e WHERE e.kind = 'ticket_comment' AND e.row_id = c.id)
  ORDER BY c.date_created;
INSERT INTO audits_run_entry (kind, row_id, body, date)
  SELECT 'task_run', r.id, ops_adhoc_execution_content(r), r.date_start FROM ops_adhoc_execution r
  WHERE r.is_finished AND NOT EXISTS (SELECT FROM audits_run_entry e WHERE e.kind = 'task_run' AND e.row_id = r.id)
  ORDER BY r.date_start;
INSERT INTO audits_run_entry (kind, row_id, body, date)
  SELECT 'task_outcome', md5(h.execution::text || h.asset)::uuid, ops_adhoc_outcome_content(h), r.date_start
  FROM ops_adhoc_execution_host h JOIN ops_adhoc_execution r ON r.id = h.execution
  WHERE NOT EXISTS (SELECT FROM audits_run_entry e
    WHERE e.kind = 'task_outcome' AND e.row_id = md5(h.execution::text || h.asset)::uuid)
  ORDER BY r.date_start;
