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

-- Tasks that make assets of machines at clouds, their runs, and what each knows of which machine.
CREATE TABLE cloud_sync_task (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  name text NOT NULL,
  account uuid NOT NULL REFERENCES cloud_account (id),
  regions text[] NOT NULL,
  hostname_strategy text NOT NULL DEFAULT 'instance_name_partial_ip',
  -- Null once that node is gone: a run then says so.
  node uuid REFERENCES assets_node (id) ON DELETE SET NULL,
  unix_admin_user uuid REFERENCES assets_system_user (id) ON DELETE SET NULL,
  windows_admin_user uuid REFERENCES assets_system_user (id) ON DELETE SET NULL,
  protocols text[] NOT NULL DEFAULT '{}',
  ip_network_segment_group text[] NOT NULL DEFAULT '{*}',
  is_always_update boolean NOT NULL DEFAULT false,
  is_periodic boolean NOT NULL DEFAULT true,
  crontab text,
  interval integer,
  date_next_run timestamptz,
  -- When a run last ended well.
  date_last_sync timestamptz,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX cloud_sync_task__org_id__name__unique ON cloud_sync_task (org_id, name);
CREATE INDEX cloud_sync_task__due ON cloud_sync_task (date_next_run) WHERE is_periodic;
CREATE INDEX cloud_sync_task__account ON cloud_sync_task (account);
CREATE INDEX cloud_sync_task__node ON cloud_sync_task (node);
CREATE INDEX cloud_sync_task__unix_admin_user ON cloud_sync_task (unix_admin_user);
CREATE INDEX cloud_sync_task__windows_admin_user ON cloud_sync_task (windows_admin_user);
CALL kernel_guard_organization('cloud_sync_task', 'account', 'cloud_account', 'node', 'assets_node',
  'unix_admin_user', 'assets_system_user', 'windows_admin_user', 'assets_system_user');

CREATE TABLE cloud_sync_run (
  -- That of its background task.
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  task uuid NOT NULL REFERENCES cloud_sync_task (id) ON DELETE CASCADE,
  -- 0 failed, 1 succeeded; null while it runs.
  status integer,
  fault text,
  new_count integer NOT NULL DEFAULT 0,
  unsync_count integer NOT NULL DEFAULT 0,
  sync_count integer NOT NULL DEFAULT 0,
  released_count integer NOT NULL DEFAULT 0,
  -- What was read of each region.
  result jsonb,
  date_sync timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX cloud_sync_run__task ON cloud_sync_run (task, date_sync DESC);
CREATE INDEX cloud_sync_run__date_sync ON cloud_sync_run (date_sync);
CALL kernel_guard_organization('cloud_sync_run', 'task', 'cloud_sync_task');

CREATE TABLE cloud_instance (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  task uuid NOT NULL REFERENCES cloud_sync_task (id) ON DELETE CASCADE,
  -- Whose ids these are: the provider, and where it is if it is private.
  cloud text NOT NULL,
  instance_id text NOT NULL,
  asset uuid REFERENCES assets_asset (id) ON DELETE SET NULL,
  -- The task keeps the asset up to date: one of those that see the machine.
  leads boolean NOT NULL DEFAULT false,
  region text NOT NULL,
  -- 0 not synced, 1 new, 2 synced, 3 released.
  status integer NOT NULL CHECK (status BETWEEN 0 AND 3),
  reason text NOT NULL DEFAULT '',
  -- The last run that saw it.
  run uuid,
  date_sync timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX cloud_instance__task__cloud__instance_id__unique ON cloud_instance (task, cloud, instance_id);
CREATE INDEX cloud_instance__instance ON cloud_instance (org_id, cloud, instance_id);
CREATE INDEX cloud_instance__asset ON cloud_instance (asset);
CALL kernel_guard_organization('cloud_instance', 'task', 'cloud_sync_task', 'asset', 'assets_asset');
