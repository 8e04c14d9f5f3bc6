-- Authorities of SSH certificates, by which machines know logins without a stored secret: the newest
-- that is not retired certifies, earlier ones are still trusted by machines.
CREATE TABLE assets_ssh_authority (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id) ON DELETE CASCADE,
  version integer NOT NULL CHECK (version > 0),
  -- One line as in authorized_keys, without a comment.
  public_key text NOT NULL DEFAULT '',
  -- NULL once it is retired.
  private_key_sealed bytea,
  -- Networks from which alone its certificates may be used; from anywhere without any.
  source_addresses text[] NOT NULL DEFAULT '{}' CHECK (cardinality(source_addresses) <= 64),
  date_retired timestamptz,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX assets_ssh_authority__org_id__version__unique ON assets_ssh_authority (org_id, version);
CALL kernel_keep_for_undo('assets_ssh_authority');

-- The authority whose certificate a machine took last.
CREATE TABLE assets_ssh_trust (
  asset uuid PRIMARY KEY REFERENCES assets_asset (id) ON DELETE CASCADE,
  authority uuid NOT NULL REFERENCES assets_ssh_authority (id) ON DELETE CASCADE,
  date_seen timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX assets_ssh_trust__authority ON assets_ssh_trust (authority);

-- System users that log in by a certificate for each login, instead of a stored secret.
ALTER TABLE assets_system_user ADD COLUMN by_certificate boolean NOT NULL DEFAULT false
  CONSTRAINT assets_system_user_by_certificate CHECK (NOT by_certificate OR protocol = 'ssh');

-- Machines are told of every change: the system users that sign in by certificate are pushed again.
CREATE FUNCTION assets_authority_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE assets_account a SET push_due = true FROM assets_system_user s
  WHERE s.id = a.systemuser AND s.org_id = OLD.org_id AND s.by_certificate AND a.username = '' AND NOT a.push_due
    AND assets_is_pushed(s.id);
  RETURN NULL;
END $$;
CREATE TRIGGER push_authority AFTER UPDATE OF public_key, date_retired OR DELETE ON assets_ssh_authority
  FOR EACH ROW EXECUTE FUNCTION assets_authority_changed();
