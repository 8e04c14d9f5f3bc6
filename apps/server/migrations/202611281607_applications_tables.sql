-- Databases, remote apps and Kubernetes clusters. What an application is reached by is in `attrs`,
-- whose shape the type decides (packages/contract/src/resources/applications/application-types.ts);
-- passwords of remote apps are sealed inside it one by one.
CREATE TABLE applications_application (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  name text NOT NULL,
  category text NOT NULL,
  type text NOT NULL,
  attrs jsonb NOT NULL DEFAULT '{}',
  domain uuid REFERENCES assets_domain (id) ON DELETE SET NULL,
  -- Where the secrets of system users may be sent for it, as for assets.
  confirmed_destinations jsonb NOT NULL DEFAULT '[]',
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX applications_application__org_id__name__unique ON applications_application (org_id, name);
CREATE INDEX applications_application__org_id__name__id ON applications_application (org_id, name, id);
CREATE INDEX applications_application__name__id ON applications_application (name, id);
CREATE INDEX applications_application__domain ON applications_application (domain) WHERE domain IS NOT NULL;
CREATE INDEX applications_application__search ON applications_application USING gin (name gin_trgm_ops);
CALL kernel_guard_organization('applications_application', 'domain', 'assets_domain');

-- All destinations that an application with these values has: one, or one for each active gateway of
-- its network. A remote app has none: its machine is an asset, which is asked about by itself.
CREATE FUNCTION applications_destinations(type text, attrs jsonb, domain uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN attrs ? 'cluster' THEN assets_destinations(ARRAY[type], coalesce(attrs->>'cluster', ''), domain)
    WHEN attrs ? 'host' THEN assets_destinations(
      ARRAY[type || '/' || coalesce(attrs->>'port', '')], coalesce(attrs->>'host', ''), domain)
    ELSE '[]'
  END
$$;

-- A new application is where whoever makes it says, however it is made.
CREATE FUNCTION applications_confirm_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.confirmed_destinations := applications_destinations(NEW.type, NEW.attrs, NEW.domain);
  RETURN NEW;
END $$;
CREATE TRIGGER applications_confirm_new BEFORE INSERT ON applications_application
  FOR EACH ROW EXECUTE FUNCTION applications_confirm_new();

-- A remote app's own password is for the program and address that it was written for: it does not go
-- along to others.
CREATE FUNCTION applications_drop_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  open_before jsonb;
  open_now jsonb;
BEGIN
  SELECT coalesce(jsonb_object_agg(key, value), '{}') INTO open_before
    FROM jsonb_each(OLD.attrs) WHERE jsonb_typeof(value) <> 'object';
  SELECT coalesce(jsonb_object_agg(key, value), '{}') INTO open_now
    FROM jsonb_each(NEW.attrs) WHERE jsonb_typeof(value) <> 'object';
  IF open_now <> open_before THEN
    SELECT coalesce(jsonb_object_agg(key, value), '{}') INTO NEW.attrs FROM jsonb_each(NEW.attrs)
    WHERE jsonb_typeof(value) <> 'object' OR value IS DISTINCT FROM OLD.attrs->key;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER applications_drop_secrets BEFORE UPDATE ON applications_application FOR EACH ROW
  WHEN (NEW.attrs IS DISTINCT FROM OLD.attrs) EXECUTE FUNCTION applications_drop_secrets();

-- An application and a system user of a permission for it. Its secrets are the system user's where it
-- has none.
CREATE TABLE applications_account (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  app uuid NOT NULL REFERENCES applications_application (id) ON DELETE CASCADE,
  systemuser uuid REFERENCES assets_system_user (id) ON DELETE CASCADE,
  username text NOT NULL DEFAULT '',
  password_sealed bytea,
  private_key_sealed bytea,
  public_key text NOT NULL DEFAULT '',
  version integer NOT NULL DEFAULT 1,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX applications_account__username__app__systemuser__unique
  ON applications_account (app, systemuser, username) NULLS NOT DISTINCT;
CREATE INDEX applications_account__systemuser ON applications_account (systemuser, app);
CREATE INDEX applications_account__org_id ON applications_account (org_id, id);
-- As those of assets: most have no user name of their own.
CREATE INDEX applications_account__username
  ON applications_account USING gin (username gin_trgm_ops) WHERE username <> '';
CALL kernel_guard_organization('applications_account', 'systemuser', 'assets_system_user');
CALL kernel_count_rows('applications_account');
CREATE TRIGGER applications_account__forget_secret_versions AFTER DELETE ON applications_account
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION kernel_forget_secret_versions('application_account');

-- An account belongs to the organization of its application, whoever writes it.
CREATE FUNCTION applications_account_org() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT org_id INTO NEW.org_id FROM applications_application WHERE id = NEW.app;
  RETURN NEW;
END $$;
CREATE TRIGGER follow_application BEFORE INSERT OR UPDATE OF app, org_id ON applications_account
  FOR EACH ROW EXECUTE FUNCTION applications_account_org();

-- Statements that people keep for themselves. `application` is no reference: who has lost a database
-- keeps their texts.
CREATE TABLE applications_saved_statement (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  application uuid NOT NULL,
  name text NOT NULL,
  statement text NOT NULL,
  date_updated timestamptz NOT NULL DEFAULT now()
);
-- Named by what a person can mend: of a name that they have used already.
CREATE UNIQUE INDEX applications_saved_statement__name__unique
  ON applications_saved_statement (user_id, application, name);

-- The applications that command filters are bound to.
ALTER TABLE assets_command_filter_application
  ADD FOREIGN KEY (application_id) REFERENCES applications_application (id) ON DELETE CASCADE;
CALL kernel_guard_organization(
  'assets_command_filter_application', 'filter_id', 'assets_command_filter', 'application_id', 'applications_application'
);

-- What SQL of other domains may read: nothing of it is secret.
CREATE VIEW applications_listed_application AS
  SELECT a.id, a.org_id, a.name, a.category, a.type, a.domain, a.comment,
    coalesce((SELECT jsonb_object_agg(one.key, one.value) FROM jsonb_each(a.attrs) one
      WHERE jsonb_typeof(one.value) <> 'object'), '{}') AS attrs
  FROM applications_application a;
