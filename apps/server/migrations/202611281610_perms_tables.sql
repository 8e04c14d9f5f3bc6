-- Who may use which targets as whom, and until when: one set of tables for permissions of every
-- family of targets, such as assets and applications (packages/contract/src/target.ts).

CREATE TABLE perms_permission (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  family text NOT NULL,
  -- A permission about applications is about one type, and can name applications of that type alone.
  category text,
  type text,
  name text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  -- One bit an action, see packages/contract/src/actions.ts; 255 is everything.
  actions integer NOT NULL DEFAULT 255 CHECK (actions BETWEEN 0 AND 255),
  -- Databases of an application's server that it leads to; none named: all.
  databases text[] NOT NULL DEFAULT '{}',
  date_start timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL DEFAULT now() + interval '25550 days',
  comment text NOT NULL DEFAULT '',
  from_ticket boolean NOT NULL DEFAULT false,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT perms_permission_type CHECK (
    CASE family WHEN 'application' THEN category IS NOT NULL AND type IS NOT NULL ELSE type IS NULL END
  )
);
-- Each family has its own names; refusals say the name alone.
CREATE UNIQUE INDEX perms_permission__org_id__name__unique ON perms_permission (org_id, family, name);
CREATE INDEX perms_permission__org_id__family__name__id ON perms_permission (org_id, family, name, id);
CREATE INDEX perms_permission__family__name__id ON perms_permission (family, name, id);
CREATE INDEX perms_permission__search ON perms_permission USING gin (name gin_trgm_ops);
CREATE INDEX perms_permission__date_expired ON perms_permission (date_expired) WHERE is_active;

-- A pair belongs to the organization and the family of its permission.
CREATE FUNCTION perms_permission_pair_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT org_id, family INTO NEW.org_id, NEW.family FROM perms_permission WHERE id = NEW.permission;
  RETURN NEW;
END $$;

-- ---------------------------------------------------------------- who, and as whom
CREATE TABLE perms_permission_user (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  family text NOT NULL,
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX perms_permission_user__permission__user__unique ON perms_permission_user (permission, "user");
CREATE INDEX perms_permission_user__user ON perms_permission_user ("user", permission);
CREATE INDEX perms_permission_user__org_id ON perms_permission_user (org_id, family, id);
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_permission_user
  FOR EACH ROW EXECUTE FUNCTION perms_permission_pair_follows();

CREATE TABLE perms_permission_user_group (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  family text NOT NULL,
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE,
  usergroup uuid NOT NULL REFERENCES users_user_group (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX perms_permission_user_group__permission__usergroup__unique
  ON perms_permission_user_group (permission, usergroup);
CREATE INDEX perms_permission_user_group__usergroup ON perms_permission_user_group (usergroup, permission);
CREATE INDEX perms_permission_user_group__org_id ON perms_permission_user_group (org_id, family, id);
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_permission_user_group
  FOR EACH ROW EXECUTE FUNCTION perms_permission_pair_follows();
CALL kernel_guard_organization('perms_permission_user_group', 'usergroup', 'users_user_group');

CREATE TABLE perms_permission_system_user (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  family text NOT NULL,
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE,
  systemuser uuid NOT NULL REFERENCES assets_system_user (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX perms_permission_system_user__permission__systemuser__unique
  ON perms_permission_system_user (permission, systemuser);
CREATE INDEX perms_permission_system_user__systemuser ON perms_permission_system_user (systemuser, permission);
CREATE INDEX perms_permission_system_user__org_id ON perms_permission_system_user (org_id, family, id);
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_permission_system_user
  FOR EACH ROW EXECUTE FUNCTION perms_permission_pair_follows();
CALL kernel_guard_organization('perms_permission_system_user', 'systemuser', 'assets_system_user');

-- ---------------------------------------------------------------- what
-- Whole subtrees, of assets alone.
CREATE TABLE perms_permission_node (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  family text NOT NULL CHECK (family = 'asset'),
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE,
  node uuid NOT NULL REFERENCES assets_node (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX perms_permission_node__permission__node__unique ON perms_permission_node (permission, node);
CREATE INDEX perms_permission_node__node ON perms_permission_node (node, permission);
CREATE INDEX perms_permission_node__org_id ON perms_permission_node (org_id, family, id);
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_permission_node
  FOR EACH ROW EXECUTE FUNCTION perms_permission_pair_follows();
CALL kernel_guard_organization('perms_permission_node', 'node', 'assets_node');

-- What is granted by name. Each family has a column of its own, so that its targets are real
-- references.
CREATE TABLE perms_permission_target (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  family text NOT NULL,
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE
);
CREATE INDEX perms_permission_target__org_id ON perms_permission_target (org_id, family, id);
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_permission_target
  FOR EACH ROW EXECUTE FUNCTION perms_permission_pair_follows();

-- Lets permissions of a family name rows of a table: a column of the family's name, filled where the
-- permission is of the family and nowhere else.
CREATE PROCEDURE perms_add_target_family(family text, targets text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'ALTER TABLE perms_permission_target ADD COLUMN %I uuid REFERENCES %I (id) ON DELETE CASCADE', family, targets
  );
  EXECUTE format(
    'ALTER TABLE perms_permission_target ADD CONSTRAINT %I CHECK ((family = %L) = (%I IS NOT NULL))',
    'perms_permission_target_of_' || family, family, family
  );
  -- Over all rows: the targets of a permission are asked for by the permission alone.
  EXECUTE format(
    'CREATE UNIQUE INDEX %I ON perms_permission_target (permission, %I)',
    format('perms_permission_target__permission__%s__unique', family), family
  );
  EXECUTE format(
    'CREATE INDEX %I ON perms_permission_target (%I, permission) WHERE %2$I IS NOT NULL',
    'perms_permission_target__' || family, family
  );
  EXECUTE format('CALL kernel_guard_organization(%L, %L, %L)', 'perms_permission_target', family, targets);
END $$;
CALL perms_add_target_family('asset', 'assets_asset');
CALL perms_add_target_family('application', 'applications_application');
