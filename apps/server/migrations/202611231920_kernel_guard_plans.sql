-- Guards of organisations look a row up by its id. Their plan is kept for as long as the connection lives: made while a
-- table had one page, it read through all of it for each row that was written, however many there were by then, until
-- the table was analysed next. Syncing 5,000 machines of a cloud took half a minute instead of one second.
DO $$
DECLARE
  guard regprocedure;
BEGIN
  FOR guard IN
    SELECT DISTINCT t.tgfoid::regprocedure FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE t.tgname LIKE 'organization\_of\_%' AND p.proname LIKE '%\_organization\_of\_%'
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan TO off', guard);
  END LOOP;
END $$;

-- The same for those to come; else as in 202611211733_kernel_organization_boundary.sql.
CREATE OR REPLACE PROCEDURE kernel_guard_organization(guarded text, VARIADIC reference text[]) LANGUAGE plpgsql AS $$
DECLARE
  name text := format('%s_organization_of_%s', guarded, reference[1]);
  is_foreign text := CASE cardinality(reference)
    WHEN 2 THEN format('SELECT 1 FROM %I r WHERE r.id = NEW.%I AND r.org_id <> NEW.org_id', reference[2], reference[1])
    ELSE format('SELECT 1 FROM %I a JOIN %I b ON a.org_id <> b.org_id WHERE a.id = NEW.%I AND b.id = NEW.%I', reference[2], reference[4], reference[1], reference[3])
  END;
BEGIN
  EXECUTE format(
    'CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan TO off AS %L', name,
    format('BEGIN IF EXISTS (%s) THEN RAISE EXCEPTION %L USING ERRCODE = %L; END IF; RETURN NEW; END', is_foreign,
      format('%s of another organization in %s', reference[1], guarded), 'integrity_constraint_violation')
  );
  EXECUTE format(
    'CREATE TRIGGER %I BEFORE INSERT OR UPDATE OF %s ON %I FOR EACH ROW WHEN (NEW.%I IS NOT NULL) EXECUTE FUNCTION %I(%s)',
    'organization_of_' || reference[1],
    (SELECT string_agg(quote_ident(reference[n]), ', ') FROM generate_series(1, cardinality(reference), 2) n) || CASE cardinality(reference) WHEN 2 THEN ', org_id' ELSE '' END,
    guarded, reference[1], name,
    (SELECT string_agg(quote_literal(one), ', ') FROM unnest(reference) one)
  );
END $$;
