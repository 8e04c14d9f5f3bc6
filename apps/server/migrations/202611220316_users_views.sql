-- What other domains may ask of people and groups; the tables themselves are private to users.

-- Whoever can call, components included. is_valid: may sign in now.
CREATE VIEW users_account AS
  SELECT id, name, username, role, is_active, is_active AND (date_expired IS NULL OR date_expired > now()) AS is_valid FROM users_user;

-- People alone, with the addresses that they are reached by.
CREATE VIEW users_person AS
  SELECT id, name, username, email, role, source, language, wecom_id, dingtalk_id, feishu_id, is_active,
    is_active AND (date_expired IS NULL OR date_expired > now()) AS is_valid
  FROM users_user WHERE role <> 'App';

CREATE VIEW users_listed_group AS
  SELECT id, org_id, name FROM users_user_group;

CREATE VIEW users_group_member AS
  SELECT "user" AS user_id, usergroup AS group_id FROM users_user_group_user;
