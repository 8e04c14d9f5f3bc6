-- Who may use which assets as whom (contract/perms.yaml).

CREATE TABLE perms_asset_permission (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
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
CREATE UNIQUE INDEX perms_asset_permission__org_id__name__unique ON perms_asset_permission (org_id, name);
CREATE INDEX perms_asset_permission__org_id__name__id ON perms_asset_permission (org_id, name, id);
CREATE INDEX perms_asset_permission__name__id ON perms_asset_permission (name, id);
CREATE INDEX perms_asset_permission__search ON perms_asset_permission USING gin (name gin_trgm_ops);
CREATE INDEX perms_asset_permission__date_expired ON perms_asset_permission (date_expired) WHERE is_active;

-- A pair belongs to the organisation of its permission.
CREATE FUNCTION perms_asset_permission_pair_org() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT org_id INTO NEW.org_id FROM perms_asset_permission WHERE id = NEW.assetpermission;
  RETURN NEW;
END $$;

CREATE TABLE perms_asset_permission_user (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  assetpermission uuid NOT NULL REFERENCES perms_asset_permission (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX perms_asset_permission_user__assetpermission__user__unique ON perms_asset_permission_user (assetpermission, "user");
CREATE INDEX perms_asset_permission_user__user ON perms_asset_permission_user ("user", assetpermission);
CREATE INDEX perms_asset_permission_user__org_id ON perms_asset_permission_user (org_id, id);
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_asset_permission_user FOR EACH ROW EXECUTE FUNCTION perms_asset_permission_pair_org();

CREATE TABLE perms_asset_permission_user_group (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  assetpermission uuid NOT NULL REFERENCES perms_asset_permission (id) ON DELETE CASCADE,
  usergroup uuid NOT NULL REFERENCES users_user_group (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX perms_asset_permission_user_group__assetpermission__usergroup__unique ON perms_asset_permission_user_group (assetpermission, usergroup);
CREATE INDEX perms_asset_permission_user_group__usergroup ON perms_asset_permission_user_group (usergroup, assetpermission);
CREATE INDEX perms_asset_permission_user_group__org_id ON perms_asset_permission_user_group (org_id, id);
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_asset_permission_user_group FOR EACH ROW EXECUTE FUNCTION perms_asset_permission_pair_org();

CREATE TABLE perms_asset_permission_asset (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  assetpermission uuid NOT NULL REFERENCES perms_asset_permission (id) ON DELETE CASCADE,
  asset uuid NOT NULL REFERENCES assets_asset (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX perms_asset_permission_asset__assetpermission__asset__unique ON perms_asset_permission_asset (assetpermission, asset);
CREATE INDEX perms_asset_permission_asset__asset ON perms_asset_permission_asset (asset, assetpermission);
CREATE INDEX perms_asset_permission_asset__org_id ON perms_asset_permission_asset (org_id, id);
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_asset_permission_asset FOR EACH ROW EXECUTE FUNCTION perms_asset_permission_pair_org();

CREATE TABLE perms_asset_permission_node (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  assetpermission uuid NOT NULL REFERENCES perms_asset_permission (id) ON DELETE CASCADE,
  node uuid NOT NULL REFERENCES assets_node (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX perms_asset_permission_node__assetpermission__node__unique ON perms_asset_permission_node (assetpermission, node);
CREATE INDEX perms_asset_permission_node__node ON perms_asset_permission_node (node, assetpermission);
CREATE INDEX perms_asset_permission_node__org_id ON perms_asset_permission_node (org_id, id);
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_asset_permission_node FOR EACH ROW EXECUTE FUNCTION perms_asset_permission_pair_org();

CREATE TABLE perms_asset_permission_system_user (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL,
  assetpermission uuid NOT NULL REFERENCES perms_asset_permission (id) ON DELETE CASCADE,
  systemuser uuid NOT NULL REFERENCES assets_system_user (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX perms_asset_permission_system_user__assetpermission__systemuser__unique ON perms_asset_permission_system_user (assetpermission, systemuser);
CREATE INDEX perms_asset_permission_system_user__systemuser ON perms_asset_permission_system_user (systemuser, assetpermission);
CREATE INDEX perms_asset_permission_system_user__org_id ON perms_asset_permission_system_user (org_id, id);
CREATE TRIGGER follow_permission BEFORE INSERT OR UPDATE ON perms_asset_permission_system_user FOR EACH ROW EXECUTE FUNCTION perms_asset_permission_pair_org();

-- Granted assets are searched by comment too, which the assets' own search index leaves out.
CREATE INDEX assets_asset__comment ON assets_asset USING gin (comment gin_trgm_ops);
