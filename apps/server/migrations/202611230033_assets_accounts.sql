-- How many rows of a large table each organisation has, as a sum of changes: every statement adds a row and locks nothing, so writes that run side by side
-- don't wait for each other. A job folds the rows together (kernel.fold_counts).
CREATE TABLE kernel_row_count (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  counted text NOT NULL,
  org_id uuid NOT NULL,
  delta bigint NOT NULL
);
CREATE INDEX kernel_row_count__counted__org_id ON kernel_row_count (counted, org_id) INCLUDE (delta);

CREATE FUNCTION kernel_count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kernel_row_count (counted, org_id, delta) SELECT TG_TABLE_NAME, org_id, count(*) FROM added GROUP BY org_id;
  RETURN NULL;
END $$;
CREATE FUNCTION kernel_count_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kernel_row_count (counted, org_id, delta) SELECT TG_TABLE_NAME, org_id, -count(*) FROM removed GROUP BY org_id;
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
  EXECUTE format('CREATE TRIGGER count_added AFTER INSERT ON %I REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION kernel_count_added()', counted);
  EXECUTE format('CREATE TRIGGER count_removed AFTER DELETE ON %I REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION kernel_count_removed()', counted);
  EXECUTE format('CREATE TRIGGER count_truncated AFTER TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION kernel_count_truncated()', counted);
  EXECUTE format('INSERT INTO kernel_row_count (counted, org_id, delta) SELECT %L, org_id, count(*) FROM %I GROUP BY org_id', counted, counted);
END $$;
CALL kernel_count_rows('assets_account');
CALL kernel_count_rows('applications_account');

-- Accounts are searched for and filtered by user names of their own; most have none.
CREATE INDEX assets_account__username ON assets_account USING gin (username gin_trgm_ops) WHERE username <> '';
CREATE INDEX applications_account__username ON applications_account USING gin (username gin_trgm_ops) WHERE username <> '';

-- The secrets of application accounts have versions, too.
CREATE TRIGGER applications_account__forget_secret_versions AFTER DELETE ON applications_account
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION kernel_forget_secret_versions('application_account');
