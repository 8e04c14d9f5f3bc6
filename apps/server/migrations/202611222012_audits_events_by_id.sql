-- Whom and what an event concerns, by id: rows made before have none of these. A sign-in has the id
-- of its row in the sign-in log.
ALTER TABLE audits_ftp_log
  ADD COLUMN user_id uuid,
  ADD COLUMN asset_id uuid,
  ADD COLUMN session_id uuid,
  ADD COLUMN sign_in_id uuid;
ALTER TABLE audits_password_change_log
  ADD COLUMN user_id uuid,
  ADD COLUMN change_by_id uuid,
  ADD COLUMN sign_in_id uuid;
CREATE INDEX audits_operate_log__sign_in_id__datetime ON audits_operate_log (sign_in_id, datetime DESC)
  WHERE sign_in_id IS NOT NULL;
CREATE INDEX audits_ftp_log__sign_in_id__date_start ON audits_ftp_log (sign_in_id, date_start DESC)
  WHERE sign_in_id IS NOT NULL;
