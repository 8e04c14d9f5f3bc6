-- Stores of secrets outside, of which accounts and system users may name a secret instead of having
-- one here. What signs in to a store is for its address: it does not go along to another one.
CREATE TABLE assets_secret_source (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  name text NOT NULL,
  kind text NOT NULL DEFAULT 'vault' CHECK (kind IN ('vault', 'http')),
  address text NOT NULL,
  namespace text NOT NULL DEFAULT '',
  engine text NOT NULL DEFAULT 'secret',
  authentication text NOT NULL DEFAULT 'token' CHECK (authentication IN ('token', 'approle')),
  token_sealed bytea,
  role_id text NOT NULL DEFAULT '',
  secret_id_sealed bytea,
  ca_certificate text NOT NULL DEFAULT '',
  timeout integer NOT NULL DEFAULT 5 CHECK (timeout BETWEEN 1 AND 30),
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX assets_secret_source__org_id__name__unique ON assets_secret_source (org_id, name);
CALL kernel_keep_for_undo('assets_secret_source');

CREATE FUNCTION assets_secret_source_drop_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.token_sealed IS NOT DISTINCT FROM OLD.token_sealed THEN
    NEW.token_sealed := NULL;
  END IF;
  IF NEW.secret_id_sealed IS NOT DISTINCT FROM OLD.secret_id_sealed THEN
    NEW.secret_id_sealed := NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER assets_secret_source_drop_secrets BEFORE UPDATE ON assets_secret_source FOR EACH ROW
  WHEN ((NEW.address, NEW.kind) IS DISTINCT FROM (OLD.address, OLD.kind))
  EXECUTE FUNCTION assets_secret_source_drop_secrets();

-- Where the secret of an account is. Nothing is stored here beside it, whatever path leads there.
ALTER TABLE assets_system_user
  ADD COLUMN secret_source uuid REFERENCES assets_secret_source (id),
  ADD COLUMN secret_path text NOT NULL DEFAULT '',
  ADD COLUMN secret_field text NOT NULL DEFAULT '';
ALTER TABLE assets_account
  ADD COLUMN secret_source uuid REFERENCES assets_secret_source (id),
  ADD COLUMN secret_path text NOT NULL DEFAULT '',
  ADD COLUMN secret_field text NOT NULL DEFAULT '';
ALTER TABLE applications_account
  ADD COLUMN secret_source uuid REFERENCES assets_secret_source (id),
  ADD COLUMN secret_path text NOT NULL DEFAULT '',
  ADD COLUMN secret_field text NOT NULL DEFAULT '';
CREATE INDEX assets_system_user__secret_source ON assets_system_user (secret_source) WHERE secret_source IS NOT NULL;
CREATE INDEX assets_account__secret_source ON assets_account (secret_source) WHERE secret_source IS NOT NULL;
CREATE INDEX applications_account__secret_source ON applications_account (secret_source) WHERE secret_source IS NOT NULL;
CALL kernel_guard_organization('assets_system_user', 'secret_source', 'assets_secret_source');
CALL kernel_guard_organization('assets_account', 'secret_source', 'assets_secret_source');
CALL kernel_guard_organization('applications_account', 'secret_source', 'assets_secret_source');

CREATE FUNCTION assets_secret_source_keeps_it() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.password_sealed := NULL;
  NEW.private_key_sealed := NULL;
  NEW.public_key := '';
  RETURN NEW;
END $$;
CREATE FUNCTION assets_secret_source_keeps_all_of_it() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.password_sealed := NULL;
  NEW.private_key_sealed := NULL;
  NEW.token_sealed := NULL;
  NEW.public_key := '';
  NEW.ssh_key_fingerprint := '';
  RETURN NEW;
END $$;
CREATE TRIGGER secret_is_outside BEFORE INSERT OR UPDATE ON assets_account FOR EACH ROW
  WHEN (NEW.secret_source IS NOT NULL) EXECUTE FUNCTION assets_secret_source_keeps_it();
CREATE TRIGGER secret_is_outside BEFORE INSERT OR UPDATE ON applications_account FOR EACH ROW
  WHEN (NEW.secret_source IS NOT NULL) EXECUTE FUNCTION assets_secret_source_keeps_it();
CREATE TRIGGER secret_is_outside BEFORE INSERT OR UPDATE ON assets_system_user FOR EACH ROW
  WHEN (NEW.secret_source IS NOT NULL) EXECUTE FUNCTION assets_secret_source_keeps_all_of_it();

-- By source, everything that takes its secret from there.
CREATE VIEW assets_secret_source_use AS
  SELECT secret_source AS id FROM assets_account WHERE secret_source IS NOT NULL
  UNION ALL SELECT secret_source FROM assets_system_user WHERE secret_source IS NOT NULL
  UNION ALL SELECT secret_source FROM applications_account WHERE secret_source IS NOT NULL;
