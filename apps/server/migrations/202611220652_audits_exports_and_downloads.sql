-- Whoever takes rows or recordings along is written down too.
ALTER TABLE audits_operate_log
  DROP CONSTRAINT audits_operate_log_action_check,
  ADD CONSTRAINT audits_operate_log_action_check
    CHECK (action IN ('create', 'update', 'delete', 'export', 'download'));
