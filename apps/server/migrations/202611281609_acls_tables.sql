-- Rules that restrict or review a person's sign-in. They belong to the person, not to an organization.
CREATE TABLE acls_login_acl (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  priority integer NOT NULL DEFAULT 50 CHECK (priority BETWEEN 1 AND 100),
  -- {ip_group: […], time_period: [{id: weekday, value: '09:00~18:00'}]}
  rules jsonb NOT NULL,
  action text NOT NULL DEFAULT 'reject' CHECK (action IN ('reject', 'allow', 'confirm')),
  is_active boolean NOT NULL DEFAULT true,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX acls_login_acl__user ON acls_login_acl ("user", priority);

CREATE TABLE acls_login_acl_reviewer (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  acl_id uuid NOT NULL REFERENCES acls_login_acl (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX acls_login_acl_reviewer__acl_id__user_id__unique ON acls_login_acl_reviewer (acl_id, user_id);
CREATE INDEX acls_login_acl_reviewer__user_id ON acls_login_acl_reviewer (user_id);

-- Rules that put connecting to an asset under review.
CREATE TABLE acls_login_asset_acl (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  name text NOT NULL,
  users jsonb NOT NULL,
  system_users jsonb NOT NULL,
  assets jsonb NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  priority integer NOT NULL DEFAULT 50 CHECK (priority BETWEEN 1 AND 100),
  action text NOT NULL DEFAULT 'login_confirm' CHECK (action IN ('login_confirm')),
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX acls_login_asset_acl__org_id__name__unique ON acls_login_asset_acl (org_id, name);

CREATE TABLE acls_login_asset_acl_reviewer (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  acl_id uuid NOT NULL REFERENCES acls_login_asset_acl (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX acls_login_asset_acl_reviewer__acl_id__user_id__unique
  ON acls_login_asset_acl_reviewer (acl_id, user_id);
CREATE INDEX acls_login_asset_acl_reviewer__user_id ON acls_login_asset_acl_reviewer (user_id);
