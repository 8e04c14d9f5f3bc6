-- Name of the provider that keeps the person or group (scim_provider); empty for those of here.
ALTER TABLE users_user ADD COLUMN managed_by text NOT NULL DEFAULT '';
ALTER TABLE users_user_group ADD COLUMN managed_by text NOT NULL DEFAULT '';
CREATE INDEX users_user__managed_by ON users_user (managed_by) WHERE managed_by <> '';
CREATE INDEX users_user__username__lower ON users_user (lower(username));

CREATE OR REPLACE VIEW users_person AS
  SELECT id, name, username, email, role, source, language, wecom_id, dingtalk_id, feishu_id, is_active,
    is_active AND (date_expired IS NULL OR date_expired > now()) AS is_valid, managed_by
  FROM users_user WHERE role <> 'App';

CREATE OR REPLACE VIEW users_listed_group AS
  SELECT id, org_id, name, managed_by FROM users_user_group;
