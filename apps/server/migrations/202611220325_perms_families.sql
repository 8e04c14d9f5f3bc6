-- Permissions of every family of targets in one set of tables: who, what, as whom and until when is the same for assets and for applications. The permissions
-- that exist are of assets and keep their ids, as do their pairs.

CREATE TABLE perms_permission (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  -- What it is about, see packages/contract/src/target.ts.
  family text NOT NULL,
  name text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  -- One bit an action, see packages/contract/src/actions.ts; 255 is everything.
  actions integer NOT NULL DEFAULT 255 CHECK (actions BETWEEN 0 AND 255),
  date_start timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL DEFAULT now() + interval '25550 days',
  comment text NOT NULL DEFAULT '',
  from_ticket boolean NOT NULL DEFAULT false,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);

INSERT INTO perms_permission (id, org_id, family, name, is_active, actions, date_start, date_expired, comment, from_ticket, created_by, date_created)
SELECT id, org_id, 'asset', name, is_active, actions, date_start, date_expired, comment, from_ticket, created_by, date_created FROM perms_asset_permission;

-- Each family has its own names; people are told of the name alone.
CREATE UNIQUE INDEX perms_permission__org_id__name__unique ON perms_permission (org_id, family, name);
CREATE INDEX perms_permission__org_id__family__name__id ON perms_permission (org_id, family, name, id);
CREATE INDEX perms_permission__family__name__id ON perms_permission (family, name, id);
CREATE INDEX perms_permission__search ON perms_permission USING gin (name gin_trgm_ops);
CREATE INDEX perms_permission__date_expired ON perms_permission (date_expired) WHERE is_active;

-- A pair belongs to the organisation and the family of its permission.
CREATE FUNCTION perms_permission_pair_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT org_id, family INTO NEW.org_id, NEW.family FROM perms_permission WHERE id = NEW.permission;
  RETURN NEW;
END $$;

CREATE TABLE perms_permission_user (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  family text NOT NULL,
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE
);
CREATE TABLE perms_permission_user_group (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  family text NOT NULL,
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE,
  usergroup uuid NOT NULL REFERENCES users_user_group (id) ON DELETE CASCADE
);
CREATE TABLE perms_permission_system_user (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  family text NOT NULL,
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE,
  systemuser uuid NOT NULL REFERENCES assets_system_user (id) ON DELETE CASCADE
);
-- Whole subtrees, of assets alone.
CREATE TABLE perms_permission_node (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  family text NOT NULL CHECK (family = 'asset'),
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE,
  node uuid NOT NULL REFERENCES assets_node (id) ON DELETE CASCADE
);
-- What is granted by name. Each family has a column of its own, so that its targets are real references: see perms_add_target_family.
CREATE TABLE perms_permission_target (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  family text NOT NULL,
  permission uuid NOT NULL REFERENCES perms_permission (id) ON DELETE CASCADE
);

/* Lets permissions of a family name rows of a table: a column of the family's name, filled where the permission is of the family and nowhere else. */
CREATE PROCEDURE perms_add_target_family(family text, targets text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE perms_permission_target ADD COLUMN %I uuid REFERENCES %I (id) ON DELETE CASCADE', family, targets);
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
    'CREATE INDEX %I ON perms_permission_target (%I, permission) WHERE %2$I IS NOT NULL', 'perms_permission_target__' || family, family
  );
  EXECUTE format('CALL kernel_guard_organization(%L, %L, %L)', 'perms_permission_target', family, targets);
END $$;
CALL perms_add_target_family('asset', 'assets_asset');

CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_permission_user FOR EACH ROW EXECUTE FUNCTION perms_permission_pair_follows();
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_permission_user_group FOR EACH ROW EXECUTE FUNCTION perms_permission_pair_follows();
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_permission_system_user FOR EACH ROW EXECUTE FUNCTION perms_permission_pair_follows();
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_permission_node FOR EACH ROW EXECUTE FUNCTION perms_permission_pair_follows();
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_permission_target FOR EACH ROW EXECUTE FUNCTION perms_permission_pair_follows();
CALL kernel_guard_organization('perms_permission_user_group', 'usergroup', 'users_user_group');
CALL kernel_guard_organization('perms_permission_system_user', 'systemuser', 'assets_system_user');
CALL kernel_guard_organization('perms_permission_node', 'node', 'assets_node');

-- The rows that move were looked at when they were written.
ALTER TABLE perms_permission_user DISABLE TRIGGER USER;
ALTER TABLE perms_permission_user_group DISABLE TRIGGER USER;
ALTER TABLE perms_permission_system_user DISABLE TRIGGER USER;
ALTER TABLE perms_permission_node DISABLE TRIGGER USER;
ALTER TABLE perms_permission_target DISABLE TRIGGER USER;
INSERT INTO perms_permission_user (id, org_id, family, permission, "user") OVERRIDING SYSTEM VALUE
SELECT id, org_id, 'asset', assetpermission, "user" FROM perms_asset_permission_user;
INSERT INTO perms_permission_user_group (id, org_id, family, permission, usergroup) OVERRIDING SYSTEM VALUE
SELECT id, org_id, 'asset', assetpermission, usergroup FROM perms_asset_permission_user_group;
INSERT INTO perms_permission_system_user (id, org_id, family, permission, systemuser) OVERRIDING SYSTEM VALUE
SELECT id, org_id, 'asset', assetpermission, systemuser FROM perms_asset_permission_system_user;
INSERT INTO perms_permission_node (id, org_id, family, permission, node) OVERRIDING SYSTEM VALUE
SELECT id, org_id, 'asset', assetpermission, node FROM perms_asset_permission_node;
INSERT INTO perms_permission_target (id, org_id, family, permission, asset) OVERRIDING SYSTEM VALUE
SELECT id, org_id, 'asset', assetpermission, asset FROM perms_asset_permission_asset;
ALTER TABLE perms_permission_user ENABLE TRIGGER USER;
ALTER TABLE perms_permission_user_group ENABLE TRIGGER USER;
ALTER TABLE perms_permission_system_user ENABLE TRIGGER USER;
ALTER TABLE perms_permission_node ENABLE TRIGGER USER;
ALTER TABLE perms_permission_target ENABLE TRIGGER USER;

CREATE UNIQUE INDEX perms_permission_user__permission__user__unique ON perms_permission_user (permission, "user");
CREATE INDEX perms_permission_user__user ON perms_permission_user ("user", permission);
CREATE INDEX perms_permission_user__org_id ON perms_permission_user (org_id, family, id);
CREATE UNIQUE INDEX perms_permission_user_group__permission__usergroup__unique ON perms_permission_user_group (permission, usergroup);
CREATE INDEX perms_permission_user_group__usergroup ON perms_permission_user_group (usergroup, permission);
CREATE INDEX perms_permission_user_group__org_id ON perms_permission_user_group (org_id, family, id);
CREATE UNIQUE INDEX perms_permission_system_user__permission__systemuser__unique ON perms_permission_system_user (permission, systemuser);
CREATE INDEX perms_permission_system_user__systemuser ON perms_permission_system_user (systemuser, permission);
CREATE INDEX perms_permission_system_user__org_id ON perms_permission_system_user (org_id, family, id);
CREATE UNIQUE INDEX perms_permission_node__permission__node__unique ON perms_permission_node (permission, node);
CREATE INDEX perms_permission_node__node ON perms_permission_node (node, permission);
CREATE INDEX perms_permission_node__org_id ON perms_permission_node (org_id, family, id);
CREATE INDEX perms_permission_target__org_id ON perms_permission_target (org_id, family, id);

-- New pairs are numbered on from those that moved.
SELECT setval(pg_get_serial_sequence('perms_permission_user', 'id'), coalesce(max(id), 0) + 1, false) FROM perms_permission_user;
SELECT setval(pg_get_serial_sequence('perms_permission_user_group', 'id'), coalesce(max(id), 0) + 1, false) FROM perms_permission_user_group;
SELECT setval(pg_get_serial_sequence('perms_permission_system_user', 'id'), coalesce(max(id), 0) + 1, false) FROM perms_permission_system_user;
SELECT setval(pg_get_serial_sequence('perms_permission_node', 'id'), coalesce(max(id), 0) + 1, false) FROM perms_permission_node;
SELECT setval(pg_get_serial_sequence('perms_permission_target', 'id'), coalesce(max(id), 0) + 1, false) FROM perms_permission_target;

DROP TABLE perms_asset_permission_user, perms_asset_permission_user_group, perms_asset_permission_system_user, perms_asset_permission_node, perms_asset_permission_asset, perms_asset_permission;
DROP FUNCTION perms_asset_permission_pair_org, perms_asset_permission_asset_organization_of_asset, perms_asset_permission_node_organization_of_node, perms_asset_permission_system_user_organization_of_systemuser, perms_asset_permission_user_group_organization_of_usergroup;
ANALYZE perms_permission, perms_permission_user, perms_permission_user_group, perms_permission_system_user, perms_permission_node, perms_permission_target;
