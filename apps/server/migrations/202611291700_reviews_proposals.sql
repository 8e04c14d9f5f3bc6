-- What 90 days of use suggest to change (the coach), looked for every night.
CREATE TABLE reviews_proposal (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  kind text NOT NULL
    CHECK (kind IN ('unused_permission', 'unused_action', 'idle_person', 'used_for_a_while', 'many_people')),
  object_type text NOT NULL,
  -- Without a foreign key: what is gone is no longer found, and what was decided stays.
  object_id uuid NOT NULL,
  object_name text NOT NULL,
  facts jsonb NOT NULL,
  -- {resource, path, id, body}; NULL where there is nothing to set.
  change jsonb,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'applied', 'dismissed')),
  reason text NOT NULL DEFAULT '',
  decided_by text NOT NULL DEFAULT '',
  date_decided timestamptz,
  date_found timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX reviews_proposal__org_id__kind__object_id__unique ON reviews_proposal (org_id, kind, object_id);

-- When it was looked for them last.
CREATE TABLE reviews_look (
  org_id uuid PRIMARY KEY,
  date_looked timestamptz NOT NULL
);

-- What people did with files, for other domains.
CREATE VIEW audits_listed_file AS
  SELECT id, org_id, user_id, asset_id, session_id, operate, date_start FROM audits_ftp_log;

-- When people were last here, for other domains.
CREATE VIEW users_activity AS
  SELECT id, date_joined, last_login FROM users_user WHERE role = 'User';
