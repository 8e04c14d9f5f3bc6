-- People and component accounts. A user is global; memberships make it visible in organisations.
CREATE TABLE users_user (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  username text NOT NULL,
  email text NOT NULL,
  -- argon2id; NULL: no password can match
  password_hash text,
  public_key_sealed bytea,
  public_key_comment text NOT NULL DEFAULT '',
  public_key_hash_md5 text NOT NULL DEFAULT '',
  secret_key_sealed bytea,
  wechat text NOT NULL DEFAULT '',
  phone text,
  mfa_level integer NOT NULL DEFAULT 0,
  source text NOT NULL DEFAULT 'local',
  role text NOT NULL DEFAULT 'User',
  need_update_password boolean NOT NULL DEFAULT false,
  is_active boolean NOT NULL DEFAULT true,
  is_first_login boolean NOT NULL DEFAULT true,
  date_expired timestamptz,
  date_joined timestamptz NOT NULL DEFAULT now(),
  last_login timestamptz,
  date_password_last_updated timestamptz,
  created_by text NOT NULL DEFAULT '',
  comment text,
  wecom_id text,
  dingtalk_id text,
  feishu_id text
);
CREATE UNIQUE INDEX users_user__username__unique ON users_user (username);
CREATE UNIQUE INDEX users_user__email__unique ON users_user (email);
CREATE UNIQUE INDEX users_user__wecom_id__unique ON users_user (wecom_id);
CREATE UNIQUE INDEX users_user__dingtalk_id__unique ON users_user (dingtalk_id);
CREATE UNIQUE INDEX users_user__feishu_id__unique ON users_user (feishu_id);
CREATE INDEX users_user__name ON users_user (name, id);
-- Every field that the list searches: one that is missing here would make the search read all rows.
CREATE INDEX users_user__search ON users_user USING gin (name gin_trgm_ops, username gin_trgm_ops, email gin_trgm_ops, source gin_trgm_ops, role gin_trgm_ops, (id::text) gin_trgm_ops);

-- Hashes of earlier passwords, so that they are not taken again.
CREATE TABLE users_password_history (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  password_hash text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX users_password_history__user_id ON users_password_history (user_id, id);

CREATE TABLE users_user_group (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id)
);
CREATE UNIQUE INDEX users_user_group__org_id__name__unique ON users_user_group (org_id, name);

CREATE TABLE users_user_group_user (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  usergroup uuid NOT NULL REFERENCES users_user_group (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX users_user_group_user__user__usergroup__unique ON users_user_group_user ("user", usergroup);
CREATE INDEX users_user_group_user__usergroup ON users_user_group_user (usergroup);

-- Who belongs to which organisation, as what. A person may hold several roles in one.
CREATE TABLE orgs_member (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org uuid NOT NULL REFERENCES orgs_organization (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  role text NOT NULL DEFAULT 'User'
);
CREATE UNIQUE INDEX orgs_member__org__user__role__unique ON orgs_member (org, "user", role);
CREATE INDEX orgs_member__user ON orgs_member ("user");
