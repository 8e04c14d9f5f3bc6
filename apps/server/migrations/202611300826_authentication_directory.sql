-- Further directories beside the one of the settings, in their order.
CREATE TABLE authentication_directory (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  kind text NOT NULL DEFAULT 'ldap' CHECK (kind IN ('ldap')),
  priority integer NOT NULL DEFAULT 50,
  is_active boolean NOT NULL DEFAULT true,
  server_uri text NOT NULL,
  start_tls boolean NOT NULL DEFAULT false,
  ca_certificates text NOT NULL DEFAULT '',
  bind_dn text NOT NULL DEFAULT '',
  bind_password_sealed bytea,
  search_ou text NOT NULL,
  search_filter text NOT NULL,
  user_attr_map jsonb NOT NULL,
  group_search_ou text NOT NULL DEFAULT '',
  connect_timeout integer NOT NULL DEFAULT 10,
  search_paged_size integer NOT NULL DEFAULT 1000,
  existing_only boolean NOT NULL DEFAULT false,
  sync_is_periodic boolean NOT NULL DEFAULT false,
  sync_crontab text NOT NULL DEFAULT '',
  sync_interval integer,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_directory__name__unique ON authentication_directory (name);

-- Lists and times of import, one for each directory; that of the settings has no name.
ALTER TABLE authentication_ldap_list DROP COLUMN "only", ADD COLUMN directory text PRIMARY KEY DEFAULT '';
ALTER TABLE authentication_ldap_plan DROP COLUMN "only", ADD COLUMN directory text PRIMARY KEY DEFAULT '';

-- For whom of a source's people a rule holds: those of the directory of the settings, of another one, or
-- of all.
ALTER TABLE authentication_group_mapping
  ADD COLUMN directory uuid REFERENCES authentication_directory (id),
  ADD COLUMN all_directories boolean NOT NULL DEFAULT false,
  ADD CHECK (source = 'ldap' OR (directory IS NULL AND NOT all_directories));
CREATE INDEX authentication_group_mapping__directory ON authentication_group_mapping (directory)
  WHERE directory IS NOT NULL;

CALL kernel_keep_for_undo('authentication_directory');
