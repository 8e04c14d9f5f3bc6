-- SAML 2 providers, CAS servers and RADIUS servers beside those of the settings, each kind in its order.
CREATE TABLE authentication_saml2_provider (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  priority integer NOT NULL DEFAULT 50,
  is_active boolean NOT NULL DEFAULT true,
  existing_only boolean NOT NULL DEFAULT false,
  metadata_url text NOT NULL DEFAULT '',
  metadata_xml text NOT NULL DEFAULT '',
  sp_key_sealed bytea,
  sp_certificate text NOT NULL DEFAULT '',
  advanced_settings jsonb NOT NULL,
  rename_attributes jsonb NOT NULL,
  groups_attribute text NOT NULL DEFAULT '',
  logout_completely boolean NOT NULL DEFAULT true,
  always_update_user boolean NOT NULL DEFAULT true,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_saml2_provider__name__unique ON authentication_saml2_provider (name);

CREATE TABLE authentication_cas_server (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  priority integer NOT NULL DEFAULT 50,
  is_active boolean NOT NULL DEFAULT true,
  existing_only boolean NOT NULL DEFAULT false,
  server_url text NOT NULL,
  version integer NOT NULL DEFAULT 3,
  username_attribute text NOT NULL DEFAULT 'uid',
  apply_attributes boolean NOT NULL DEFAULT false,
  rename_attributes jsonb NOT NULL,
  groups_attribute text NOT NULL DEFAULT '',
  logout_completely boolean NOT NULL DEFAULT true,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_cas_server__name__unique ON authentication_cas_server (name);

CREATE TABLE authentication_radius_server (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  priority integer NOT NULL DEFAULT 50,
  is_active boolean NOT NULL DEFAULT true,
  existing_only boolean NOT NULL DEFAULT false,
  host text NOT NULL,
  port integer NOT NULL DEFAULT 1812,
  secret_sealed bytea,
  name_suffix text NOT NULL DEFAULT '',
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_radius_server__name__unique ON authentication_radius_server (name);

-- For whom of a source's people a rule holds: those of the first, of another one, or of all.
ALTER TABLE authentication_group_mapping
  ADD COLUMN saml2_provider uuid REFERENCES authentication_saml2_provider (id),
  ADD COLUMN all_saml2_providers boolean NOT NULL DEFAULT false,
  ADD CHECK (source = 'saml2' OR (saml2_provider IS NULL AND NOT all_saml2_providers)),
  ADD COLUMN cas_server uuid REFERENCES authentication_cas_server (id),
  ADD COLUMN all_cas_servers boolean NOT NULL DEFAULT false,
  ADD CHECK (source = 'cas' OR (cas_server IS NULL AND NOT all_cas_servers)),
  ADD COLUMN radius_server uuid REFERENCES authentication_radius_server (id),
  ADD COLUMN all_radius_servers boolean NOT NULL DEFAULT false,
  ADD CHECK (source = 'radius' OR (radius_server IS NULL AND NOT all_radius_servers));
CREATE INDEX authentication_group_mapping__saml2_provider ON authentication_group_mapping (saml2_provider)
  WHERE saml2_provider IS NOT NULL;
CREATE INDEX authentication_group_mapping__cas_server ON authentication_group_mapping (cas_server)
  WHERE cas_server IS NOT NULL;
CREATE INDEX authentication_group_mapping__radius_server ON authentication_group_mapping (radius_server)
  WHERE radius_server IS NOT NULL;

-- Each provider has a space of names of its own, also where two call themselves the same.
UPDATE authentication_outside_account a SET issuer = u.directory_id || ' ' || a.issuer
  FROM users_user u WHERE u.id = a.user_id AND u.directory_id IS NOT NULL AND a.source = 'openid';

CALL kernel_keep_for_undo('authentication_saml2_provider', 'authentication_cas_server', 'authentication_radius_server');
