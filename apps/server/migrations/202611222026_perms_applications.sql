-- Permissions about applications. Each is about one type, whose applications alone it can name (contract/perms.yaml application_permission).
CALL perms_add_target_family('application', 'applications_application');
ALTER TABLE perms_permission
  ADD COLUMN category text,
  ADD COLUMN type text,
  ADD CONSTRAINT perms_permission_type CHECK (CASE family WHEN 'application' THEN category IS NOT NULL AND type IS NOT NULL ELSE type IS NULL END);
