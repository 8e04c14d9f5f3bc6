-- What the engine itself keeps, and the procedures by which domains have their tables guarded and
-- counted. The extensions ltree and pg_trgm, and the list of migrations, are there already
-- (kernel/database/migrate.ts).

-- ---------------------------------------------------------------- organizations are apart
-- What belongs to one organization refers to nothing of another. The resource engine refuses such a
-- reference before it gets here; this is for the day when a route, a job or a script forgets: the
-- database then refuses the write (e2e/security/23-tenant-boundary.spec.ts takes the engine away and
-- tries).
--
-- Guards a table: with one column and the table it refers to, against the row's own organization;
-- with two of each, for pairs without an organization of their own, against one another. Each guard
-- is a function of its own, so that its query is planned once for a connection, and costs some ten
-- microseconds a row. That plan never reads the whole table: made while a table has one page, it
-- would go on doing so for as long as the connection lives, however many rows there are by then.
-- Triggers are named so as to come after those called `follow_…`, which give a row its organization.
-- Their arguments tell a test what is guarded.
CREATE PROCEDURE kernel_guard_organization(guarded text, VARIADIC reference text[]) LANGUAGE plpgsql AS $$
DECLARE
  name text := format('%s_organization_of_%s', guarded, reference[1]);
  is_foreign text := CASE cardinality(reference)
    WHEN 2 THEN format('SELECT 1 FROM %I r WHERE r.id = NEW.%I AND r.org_id <> NEW.org_id', reference[2], reference[1])
    ELSE format('SELECT 1 FROM %I a JOIN %I b ON a.org_id <> b.org_id WHERE a.id = NEW.%I AND b.id = NEW.%I',
      reference[2], reference[4], reference[1], reference[3])
  END;
BEGIN
  EXECUTE format(
    'CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan TO off AS %L', name,
    format('BEGIN IF EXISTS (%s) THEN RAISE EXCEPTION %L USING ERRCODE = %L; END IF; RETURN NEW; END', is_foreign,
      format('%s of another organization in %s', reference[1], guarded), 'integrity_constraint_violation')
  );
  EXECUTE format(
    'CREATE TRIGGER %I BEFORE INSERT OR UPDATE OF %s ON %I
      FOR EACH ROW WHEN (NEW.%I IS NOT NULL) EXECUTE FUNCTION %I(%s)',
    'organization_of_' || reference[1],
    (SELECT string_agg(quote_ident(reference[n]), ', ') FROM generate_series(1, cardinality(reference), 2) n)
      || CASE cardinality(reference) WHEN 2 THEN ', org_id' ELSE '' END,
    guarded, reference[1], name,
    (SELECT string_agg(quote_literal(one), ', ') FROM unnest(reference) one)
  );
END $$;

-- ---------------------------------------------------------------- counts of large tables
-- How many rows of a large table each organization has, as a sum of changes: every statement adds a
-- row and locks nothing, so writes that run side by side don't wait for each other. A job folds the
-- rows together (kernel.fold_counts).
CREATE TABLE kernel_row_count (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  counted text NOT NULL,
  org_id uuid NOT NULL,
  delta bigint NOT NULL
);
CREATE INDEX kernel_row_count__counted__org_id ON kernel_row_count (counted, org_id) INCLUDE (delta);

CREATE FUNCTION kernel_count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kernel_row_count (counted, org_id, delta)
    SELECT TG_TABLE_NAME, org_id, count(*) FROM added GROUP BY org_id;
  RETURN NULL;
END $$;
CREATE FUNCTION kernel_count_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kernel_row_count (counted, org_id, delta)
    SELECT TG_TABLE_NAME, org_id, -count(*) FROM removed GROUP BY org_id;
  RETURN NULL;
END $$;
CREATE FUNCTION kernel_count_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM kernel_row_count WHERE counted = TG_TABLE_NAME;
  RETURN NULL;
END $$;

-- Counts the rows of a table from here on; its column org_id never changes.
CREATE PROCEDURE kernel_count_rows(counted text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER count_added AFTER INSERT ON %I REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION kernel_count_added()', counted);
  EXECUTE format('CREATE TRIGGER count_removed AFTER DELETE ON %I REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION kernel_count_removed()', counted);
  EXECUTE format('CREATE TRIGGER count_truncated AFTER TRUNCATE ON %I
    FOR EACH STATEMENT EXECUTE FUNCTION kernel_count_truncated()', counted);
  EXECUTE format('INSERT INTO kernel_row_count (counted, org_id, delta)
    SELECT %L, org_id, count(*) FROM %I GROUP BY org_id', counted, counted);
END $$;

-- ---------------------------------------------------------------- selections and imports
-- Selections of rows kept for a few minutes (kernel/resource/selection.ts). Unlogged: losing them in
-- a crash costs a click.
CREATE UNLOGGED TABLE kernel_selection (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  resources text[] NOT NULL,
  date_expired timestamptz NOT NULL
);
CREATE INDEX kernel_selection__date_expired ON kernel_selection (date_expired);

-- Imports that the server carries out by itself (kernel/resource/import-job/), kept for a day.
CREATE TABLE kernel_import_job (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL,
  org_id uuid NOT NULL,
  resource text NOT NULL,
  -- create or update
  mode text NOT NULL,
  -- The caller and the route's parameters, as they were when the import was sent.
  call jsonb NOT NULL,
  parameters jsonb NOT NULL,
  -- The rows, which may hold passwords; gone as soon as the import ends.
  rows_sealed bytea,
  -- waiting, running, done, stopped, interrupted
  status text NOT NULL DEFAULT 'waiting',
  total integer NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  -- When its worker was last heard of.
  date_updated timestamptz NOT NULL DEFAULT now(),
  -- No further result comes after this.
  date_finished timestamptz
);
CREATE INDEX kernel_import_job__user_id ON kernel_import_job (user_id) WHERE date_finished IS NULL;
CREATE INDEX kernel_import_job__date_created ON kernel_import_job (date_created);

CREATE TABLE kernel_import_result (
  job uuid NOT NULL REFERENCES kernel_import_job (id) ON DELETE CASCADE,
  -- Place among the rows that were sent, from 0.
  index integer NOT NULL,
  -- The body of the refusal as JSON; NULL when the row was stored. Text: its escapes may name
  -- characters that jsonb refuses.
  errors text,
  PRIMARY KEY (job, index)
);

-- ---------------------------------------------------------------- keys and secrets
-- The keys that secrets are sealed under, by id: the keys themselves are never in the database. The
-- check value is a known text, sealed.
CREATE TABLE kernel_secret_key (
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{16}$'),
  state text NOT NULL CHECK (state IN ('next', 'current', 'previous', 'retired')),
  check_value bytea NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_retired timestamptz
);
-- One that seals, and one at most that is to seal next.
CREATE UNIQUE INDEX kernel_secret_key__state__unique ON kernel_secret_key (state) WHERE state IN ('current', 'next');

-- Running nodes and the keys that they hold: a rotation asks them before anything is sealed under a
-- new key. Without a sign of life a node has ended.
CREATE TABLE kernel_secret_key_holder (
  node uuid PRIMARY KEY,
  -- host and process, for people
  name text NOT NULL,
  keys text[] NOT NULL,
  seals_under text NOT NULL,
  date_seen timestamptz NOT NULL DEFAULT now()
);

-- Secrets that left Sallyport in clear, to a component, a person, a file or a run: who got which,
-- when and why. Kept as long as the log of operations, and chained as it is
-- (domains/audits/chain.ts).
CREATE TABLE kernel_secret_look (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  how text NOT NULL CHECK (how IN ('component', 'reveal', 'export', 'run')),
  reason text NOT NULL,
  owner_kind text NOT NULL,
  owner_id uuid NOT NULL,
  owner text NOT NULL,
  org_id uuid NOT NULL,
  user_id uuid,
  "user" text NOT NULL,
  remote_addr text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  chain_number bigint,
  chain_hash bytea
);
CREATE INDEX kernel_secret_look__owner ON kernel_secret_look (owner_kind, owner_id, date_created);
CREATE INDEX kernel_secret_look__date_created ON kernel_secret_look (date_created);
CREATE INDEX kernel_secret_look__unsealed ON kernel_secret_look (id) WHERE chain_number IS NULL;
CREATE UNIQUE INDEX kernel_secret_look__chain_number__unique ON kernel_secret_look (chain_number);

-- Login secrets besides the current one, which is in the row itself: a candidate while it is being
-- changed on a machine, and those that were current before. `owner_kind` and `owner_id` are those of
-- kernel_secret_look; a row that goes takes its versions along.
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

-- For triggers on tables of owners; the argument is the kind of owner.
CREATE FUNCTION kernel_forget_secret_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM kernel_secret_version v USING gone WHERE v.owner_kind = TG_ARGV[0] AND v.owner_id = gone.id;
  RETURN NULL;
END $$;

-- ---------------------------------------------------------------- nodes and schedules
-- Nodes of this installation: where each is reached by the others, and by which certificate they know
-- it (kernel/nodes/). The key of the certificate never leaves its process. Without a sign of life a
-- node has ended.
CREATE TABLE kernel_node (
  -- kept in the node's data directory
  id uuid PRIMARY KEY,
  name text NOT NULL,
  roles text[] NOT NULL,
  -- of its sessions; none for a node that carries none
  terminal uuid,
  address text,
  port integer,
  certificate text,
  is_running boolean NOT NULL DEFAULT true,
  date_seen timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX kernel_node__name__unique ON kernel_node (name);
CREATE UNIQUE INDEX kernel_node__terminal__unique ON kernel_node (terminal);

-- What comes by the clock: whether it does, and when it did last. Which schedules there are is in
-- the code.
CREATE TABLE kernel_schedule (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  last_run_at timestamptz,
  total_run_count bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX kernel_schedule__name__unique ON kernel_schedule (name);

-- ---------------------------------------------------------------- background jobs
-- Background jobs, which wait here, are done, and stay for a week.
CREATE TABLE kernel_job (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  queue text NOT NULL,
  data jsonb NOT NULL,
  -- Whose it is, for work of which one owner gets a share.
  owner text,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
  -- How often it was begun; the number of its present run.
  tries integer NOT NULL DEFAULT 0,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_due timestamptz NOT NULL DEFAULT now(),
  date_start timestamptz,
  -- When its node said last that it is at it.
  date_heard timestamptz,
  date_finished timestamptz,
  error text NOT NULL DEFAULT ''
);
CREATE INDEX kernel_job__queue_due ON kernel_job (queue, date_due, id) WHERE state = 'waiting';
CREATE INDEX kernel_job__due ON kernel_job (date_due, id) WHERE state = 'waiting';
CREATE INDEX kernel_job__running ON kernel_job (queue, owner) WHERE state = 'running';
CREATE INDEX kernel_job__ended ON kernel_job (state, date_finished DESC, id) WHERE date_finished IS NOT NULL;
