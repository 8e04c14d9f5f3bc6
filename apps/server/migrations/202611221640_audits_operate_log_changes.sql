-- What an operation changed, on what, and who did it, by id: rows made before have none of these.
ALTER TABLE audits_operate_log
  ADD COLUMN user_id uuid,
  ADD COLUMN sign_in_id uuid,
  ADD COLUMN object_type text,
  ADD COLUMN object_id text,
  ADD COLUMN changes jsonb;

CREATE INDEX audits_operate_log__object_id__datetime ON audits_operate_log (object_id, datetime DESC)
  WHERE object_id IS NOT NULL;
