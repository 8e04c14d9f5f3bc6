-- Organisations (tenants). The root organisation is not stored: it is the view over all of them.
CREATE TABLE orgs_organization (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX orgs_organization__name__unique ON orgs_organization (name);

INSERT INTO orgs_organization (id, name, created_by) VALUES ('00000000-0000-0000-0000-000000000002', 'Default', 'System');
