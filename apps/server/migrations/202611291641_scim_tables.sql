-- Identity providers that keep people and groups here by SCIM (RFC 7643, 7644).

CREATE TABLE scim_provider (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  name text NOT NULL,
  -- How its people sign in.
  source text NOT NULL CHECK (source IN ('openid', 'saml2', 'cas', 'ldap', 'radius')),
  on_delete text NOT NULL DEFAULT 'deactivate' CHECK (on_delete IN ('deactivate', 'delete')),
  ip_group text[] NOT NULL DEFAULT '{*}',
  is_active boolean NOT NULL DEFAULT true,
  date_expired timestamptz,
  comment text NOT NULL DEFAULT '',
  -- SHA-256; NULL: it has none yet
  token_hash bytea,
  date_token timestamptz,
  date_last_used timestamptz,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
-- People and groups bear the name, so there is one of it in the whole installation.
CREATE UNIQUE INDEX scim_provider__name__unique ON scim_provider (name);
CREATE UNIQUE INDEX scim_provider__token_hash ON scim_provider (token_hash);

CREATE TABLE scim_person (
  user_id uuid PRIMARY KEY REFERENCES users_user (id) ON DELETE CASCADE,
  provider_id uuid NOT NULL REFERENCES scim_provider (id) ON DELETE CASCADE,
  -- As the provider has them last sent, by the names of RFC 7643.
  attributes jsonb NOT NULL,
  version integer NOT NULL DEFAULT 1,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now(),
  -- The provider has deleted the person, who stays here, deactivated.
  date_deleted timestamptz
);
CREATE INDEX scim_person__provider_id ON scim_person (provider_id, date_created, user_id);
CREATE INDEX scim_person__external_id ON scim_person (provider_id, (attributes ->> 'externalId'));

CREATE TABLE scim_group (
  group_id uuid PRIMARY KEY REFERENCES users_user_group (id) ON DELETE CASCADE,
  provider_id uuid NOT NULL REFERENCES scim_provider (id) ON DELETE CASCADE,
  external_id text,
  version integer NOT NULL DEFAULT 1,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX scim_group__provider_id ON scim_group (provider_id, date_created, group_id);

-- No group of a provider is one of another organization.
CALL kernel_guard_organization('scim_group', 'group_id', 'users_user_group', 'provider_id', 'scim_provider');
