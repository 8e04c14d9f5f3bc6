-- Rules by which groups of a directory or provider give memberships and roles here, and the groups
-- in which each person was seen there last.

CREATE TABLE authentication_group_mapping (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id) ON DELETE CASCADE,
  name text NOT NULL,
  priority integer NOT NULL DEFAULT 50,
  source text NOT NULL CHECK (source IN ('ldap', 'openid', 'saml2', 'cas', 'radius')),
  match text NOT NULL CHECK (match IN ('exact', 'pattern', 'subtree', 'everybody')),
  value text NOT NULL DEFAULT '',
  mode text NOT NULL DEFAULT 'go_on' CHECK (mode IN ('go_on', 'stop', 'else')),
  org_role text NOT NULL DEFAULT 'User' CHECK (org_role IN ('none', 'User', 'Auditor', 'Admin')),
  system_role text NOT NULL DEFAULT 'User' CHECK (system_role IN ('User', 'Auditor', 'Admin')),
  is_active boolean NOT NULL DEFAULT true,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_group_mapping__org_id__name__unique
  ON authentication_group_mapping (org_id, name);

CREATE TABLE authentication_group_mapping_group (
  mapping_id uuid NOT NULL REFERENCES authentication_group_mapping (id) ON DELETE CASCADE,
  -- A group that a rule gives is not deleted before the rule lets go of it.
  group_id uuid NOT NULL REFERENCES users_user_group (id),
  PRIMARY KEY (mapping_id, group_id)
);
CREATE INDEX authentication_group_mapping_group__group_id ON authentication_group_mapping_group (group_id);
CALL kernel_guard_organization('authentication_group_mapping_group', 'group_id', 'users_user_group',
  'mapping_id', 'authentication_group_mapping');

CREATE TABLE authentication_outside_groups (
  user_id uuid PRIMARY KEY REFERENCES users_user (id) ON DELETE CASCADE,
  source text NOT NULL,
  groups text[] NOT NULL,
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX authentication_outside_groups__source ON authentication_outside_groups (source, user_id);

CALL kernel_keep_for_undo('authentication_group_mapping', 'authentication_group_mapping_group');
