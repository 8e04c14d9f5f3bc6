-- Who Sallyport is at clouds, to list their machines; secrets of attrs are sealed one by one.
CREATE TABLE cloud_account (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  name text NOT NULL,
  provider text NOT NULL,
  attrs jsonb NOT NULL DEFAULT '{}',
  -- What the last call with its keys came to.
  validity boolean NOT NULL DEFAULT false,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX cloud_account__org_id__name__unique ON cloud_account (org_id, name);
