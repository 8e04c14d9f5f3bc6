-- Keys that vouch for the host keys of machines, for an organization or one of its networks.
CREATE TABLE assets_host_authority (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id) ON DELETE CASCADE,
  name text NOT NULL,
  public_key text NOT NULL,
  domain uuid REFERENCES assets_domain (id) ON DELETE CASCADE,
  is_active boolean NOT NULL DEFAULT true,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX assets_host_authority__org_id__name__unique ON assets_host_authority (org_id, name);
CREATE INDEX assets_host_authority__domain ON assets_host_authority (domain);
CALL kernel_guard_organization('assets_host_authority', 'domain', 'assets_domain');
CALL kernel_keep_for_undo('assets_host_authority');
