-- Further OpenID providers beside the one of the settings, in their order.
CREATE TABLE authentication_openid_provider (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  priority integer NOT NULL DEFAULT 50,
  is_active boolean NOT NULL DEFAULT true,
  client_id text NOT NULL,
  client_secret_sealed bytea,
  issuer text NOT NULL,
  authorization_endpoint text NOT NULL,
  token_endpoint text NOT NULL,
  jwks_endpoint text NOT NULL,
  userinfo_endpoint text NOT NULL,
  end_session_endpoint text NOT NULL DEFAULT '',
  signature_alg text NOT NULL DEFAULT 'RS256',
  signature_key text NOT NULL DEFAULT '',
  ignore_ssl_verification boolean NOT NULL DEFAULT false,
  scopes text NOT NULL,
  user_attr_map jsonb NOT NULL,
  groups_claim text NOT NULL DEFAULT '',
  email_is_trusted boolean NOT NULL DEFAULT false,
  existing_only boolean NOT NULL DEFAULT false,
  always_update_user boolean NOT NULL DEFAULT true,
  share_session boolean NOT NULL DEFAULT true,
  id_token_max_age integer NOT NULL DEFAULT 60,
  id_token_include_claims boolean NOT NULL DEFAULT true,
  use_state boolean NOT NULL DEFAULT true,
  use_nonce boolean NOT NULL DEFAULT true,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_openid_provider__name__unique ON authentication_openid_provider (name);

-- For whom of OpenID's people a rule holds: those of the provider of the settings, of another one, or of all.
ALTER TABLE authentication_group_mapping
  ADD COLUMN openid_provider uuid REFERENCES authentication_openid_provider (id),
  ADD COLUMN all_openid_providers boolean NOT NULL DEFAULT false,
  ADD CHECK (source = 'openid' OR (openid_provider IS NULL AND NOT all_openid_providers));
CREATE INDEX authentication_group_mapping__openid_provider ON authentication_group_mapping (openid_provider)
  WHERE openid_provider IS NOT NULL;

CALL kernel_keep_for_undo('authentication_openid_provider');
