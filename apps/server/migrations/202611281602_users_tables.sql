-- People and component accounts. A user is global; memberships make it visible in organizations.
CREATE TABLE users_user (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  username text NOT NULL,
  email text NOT NULL,
  role text NOT NULL DEFAULT 'User',
  source text NOT NULL DEFAULT 'local',
  is_active boolean NOT NULL DEFAULT true,
  date_expired timestamptz,
  comment text,
  -- What the user name is taken for at a glance (UTS #39), so that nobody is made who passes for
  -- somebody else. The program fills it in.
  looks text[] NOT NULL DEFAULT '{}',

  phone text,
  wechat text NOT NULL DEFAULT '',
  wecom_id text,
  dingtalk_id text,
  feishu_id text,
  -- The one that the person last used the console in: mails to them are written in it.
  language text CHECK (language IN ('cn', 'en')),
  -- Organizations in which the person has sent the guide to the first session away.
  guide_dismissed_in uuid[] NOT NULL DEFAULT '{}',

  -- argon2id; NULL: no password can match
  password_hash text,
  need_update_password boolean NOT NULL DEFAULT false,
  date_password_last_updated timestamptz,
  is_first_login boolean NOT NULL DEFAULT true,
  last_login timestamptz,
  mfa_level integer NOT NULL DEFAULT 0,
  -- The second factor by time-based codes. The step of the last accepted code is kept, so that no
  -- code counts twice.
  otp_secret_sealed bytea,
  otp_last_step bigint,
  public_key_sealed bytea,
  public_key_comment text NOT NULL DEFAULT '',
  public_key_hash_md5 text NOT NULL DEFAULT '',
  secret_key_sealed bytea,

  created_by text NOT NULL DEFAULT '',
  date_joined timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_user__username__unique ON users_user (username);
CREATE UNIQUE INDEX users_user__email__unique ON users_user (email);
-- User names and mail addresses are unique whatever their case.
CREATE UNIQUE INDEX users_user_any_case__username__unique ON users_user (lower(username));
CREATE UNIQUE INDEX users_user_any_case__email__unique ON users_user (lower(email));
-- User names also whatever form their letters have: "ｕｎｉ" in full width, or an accent that is a
-- letter of its own, looks like "uni" to whoever reads a log.
CREATE UNIQUE INDEX users_user_any_form__username__unique ON users_user (lower(normalize(username, NFKC)));
CREATE UNIQUE INDEX users_user__wecom_id__unique ON users_user (wecom_id);
CREATE UNIQUE INDEX users_user__dingtalk_id__unique ON users_user (dingtalk_id);
CREATE UNIQUE INDEX users_user__feishu_id__unique ON users_user (feishu_id);
CREATE INDEX users_user__name ON users_user (name, id);
-- Every field that the list searches: one that is missing here would make the search read all rows.
CREATE INDEX users_user__search
  ON users_user USING gin (
    name gin_trgm_ops, username gin_trgm_ops, email gin_trgm_ops, source gin_trgm_ops, role gin_trgm_ops,
    (id::text) gin_trgm_ops
  );
CREATE INDEX users_user__looks ON users_user USING gin (looks);

-- Hashes of earlier passwords, so that they are not taken again.
CREATE TABLE users_password_history (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  password_hash text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX users_password_history__user_id ON users_password_history (user_id, id);

-- Each belongs to one organization; `org_id` refers to orgs_organization (orgs_tables).
CREATE TABLE users_user_group (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  name text NOT NULL,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_user_group__org_id__name__unique ON users_user_group (org_id, name);

CREATE TABLE users_user_group_user (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  usergroup uuid NOT NULL REFERENCES users_user_group (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX users_user_group_user__user__usergroup__unique ON users_user_group_user ("user", usergroup);
CREATE INDEX users_user_group_user__usergroup ON users_user_group_user (usergroup);

-- ---------------------------------------------------------------- what other domains may read
-- The tables themselves are private to users.

-- Whoever can call, components included. is_valid: may sign in now.
CREATE VIEW users_account AS
  SELECT id, name, username, role, is_active,
    is_active AND (date_expired IS NULL OR date_expired > now()) AS is_valid
  FROM users_user;

-- People alone, with the addresses that they are reached by.
CREATE VIEW users_person AS
  SELECT id, name, username, email, role, source, language, wecom_id, dingtalk_id, feishu_id, is_active,
    is_active AND (date_expired IS NULL OR date_expired > now()) AS is_valid
  FROM users_user WHERE role <> 'App';

CREATE VIEW users_listed_group AS
  SELECT id, org_id, name FROM users_user_group;

CREATE VIEW users_group_member AS
  SELECT "user" AS user_id, usergroup AS group_id FROM users_user_group_user;
