-- Where a membership or a role of the system was given from outside, by a rule about groups there
-- (authentication_group_mapping): the source, such as ldap. Empty where somebody here gave it.
ALTER TABLE users_user ADD COLUMN role_given_by text NOT NULL DEFAULT '';
ALTER TABLE users_user_group_user ADD COLUMN given_by text NOT NULL DEFAULT '';
CREATE INDEX users_user_group_user__given_by ON users_user_group_user ("user") WHERE given_by <> '';

CREATE OR REPLACE VIEW users_group_member AS
  SELECT "user" AS user_id, usergroup AS group_id, given_by FROM users_user_group_user;

CREATE OR REPLACE VIEW users_person AS
  SELECT id, name, username, email, role, source, language, wecom_id, dingtalk_id, feishu_id, is_active,
    is_active AND (date_expired IS NULL OR date_expired > now()) AS is_valid, managed_by, role_given_by
  FROM users_user WHERE role <> 'App';
