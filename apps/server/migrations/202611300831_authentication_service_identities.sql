-- Machines and scripts that call by keys of their own (domains/authentication/service-identities/).

-- `id` is that of the person of source service, who holds memberships, groups and permissions.
CREATE TABLE authentication_service_identity (
  id uuid PRIMARY KEY REFERENCES users_user (id) ON DELETE CASCADE,
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  name text NOT NULL,
  username text NOT NULL,
  -- NULL once the owner was deleted.
  owner uuid REFERENCES users_user (id) ON DELETE SET NULL,
  purpose text NOT NULL,
  ip_group text[] NOT NULL DEFAULT '{*}',
  -- Parts of the API (packages/contract/src/call-areas.ts).
  reads text[] NOT NULL DEFAULT '{}',
  writes text[] NOT NULL DEFAULT '{}',
  is_active boolean NOT NULL DEFAULT true,
  date_expired timestamptz,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_service_identity__org_id__name__unique
  ON authentication_service_identity (org_id, name);
CREATE UNIQUE INDEX authentication_service_identity__username__unique ON authentication_service_identity (username);
CREATE INDEX authentication_service_identity__owner ON authentication_service_identity (owner);

CREATE TABLE authentication_service_key (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  identity uuid NOT NULL REFERENCES authentication_service_identity (id) ON DELETE CASCADE,
  name text NOT NULL,
  -- SHA-256
  key_hash bytea NOT NULL,
  -- The last characters, by which people tell keys apart.
  ending text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  date_expired timestamptz,
  date_last_used timestamptz,
  last_addr text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_service_key__key_hash__unique ON authentication_service_key (key_hash);
CREATE UNIQUE INDEX authentication_service_key__identity__name__unique
  ON authentication_service_key (identity, name);
CREATE INDEX authentication_service_key__org_id ON authentication_service_key (org_id);
CALL kernel_guard_organization('authentication_service_key', 'identity', 'authentication_service_identity');

-- Whatever path leads there: what people sign in with is given to no service identity, whose keys
-- alone know addresses and scopes.
CREATE FUNCTION authentication_refuse_service() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.user_id IS NOT NULL AND EXISTS (SELECT FROM users_account u WHERE u.id = NEW.user_id AND u.is_service) THEN
    RAISE EXCEPTION 'a service identity signs in by its own keys alone' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_service BEFORE INSERT OR UPDATE OF user_id ON authentication_session
  FOR EACH ROW EXECUTE FUNCTION authentication_refuse_service();
CREATE TRIGGER refuse_service BEFORE INSERT OR UPDATE OF user_id ON authentication_bearer_token
  FOR EACH ROW EXECUTE FUNCTION authentication_refuse_service();
CREATE TRIGGER refuse_service BEFORE INSERT OR UPDATE OF user_id ON authentication_private_token
  FOR EACH ROW EXECUTE FUNCTION authentication_refuse_service();
CREATE TRIGGER refuse_service BEFORE INSERT OR UPDATE OF user_id ON authentication_access_key
  FOR EACH ROW EXECUTE FUNCTION authentication_refuse_service();
CREATE TRIGGER refuse_service BEFORE INSERT OR UPDATE OF user_id ON authentication_passkey
  FOR EACH ROW EXECUTE FUNCTION authentication_refuse_service();
CREATE TRIGGER refuse_service BEFORE INSERT OR UPDATE OF user_id ON authentication_outside_account
  FOR EACH ROW EXECUTE FUNCTION authentication_refuse_service();

-- Keys are not kept: what was withdrawn stays so.
CALL kernel_keep_for_undo('authentication_service_identity');
