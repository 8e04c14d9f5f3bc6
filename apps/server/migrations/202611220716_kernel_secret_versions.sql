-- Login secrets besides the current one, which stands in the row itself: a candidate while it is
-- being changed on a machine, and those that were current before. `owner_kind` and `owner_id` are
-- those of kernel_secret_look; a row that goes takes its versions along.
CREATE TABLE kernel_secret_version (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  owner_kind text NOT NULL,
  owner_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('candidate', 'previous')),
  version integer NOT NULL,
  password_sealed bytea,
  private_key_sealed bytea,
  token_sealed bytea,
  public_key text NOT NULL DEFAULT '',
  ssh_key_fingerprint text NOT NULL DEFAULT '',
  reason text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX kernel_secret_version__owner ON kernel_secret_version (owner_kind, owner_id, version);
CREATE UNIQUE INDEX kernel_secret_version__owner__candidate__unique ON kernel_secret_version (owner_kind, owner_id)
  WHERE state = 'candidate';

CREATE FUNCTION kernel_forget_secret_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM kernel_secret_version v USING gone WHERE v.owner_kind = TG_ARGV[0] AND v.owner_id = gone.id;
  RETURN NULL;
END $$;

CREATE TRIGGER assets_system_user__forget_secret_versions AFTER DELETE ON assets_system_user
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION kernel_forget_secret_versions('system_user');
CREATE TRIGGER assets_account__forget_secret_versions AFTER DELETE ON assets_account
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION kernel_forget_secret_versions('asset_account');
CREATE TRIGGER assets_gateway__forget_secret_versions AFTER DELETE ON assets_gateway
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION kernel_forget_secret_versions('gateway');
