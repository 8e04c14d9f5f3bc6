-- Addresses that get signed messages of tickets, sessions and alarms, and those messages. Its triggers
-- are on tables of others.

CREATE TABLE notifications_webhook (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id) ON DELETE CASCADE,
  name text NOT NULL,
  url text NOT NULL,
  secret_sealed bytea,
  kinds text[] NOT NULL,
  all_orgs boolean NOT NULL DEFAULT false,
  is_active boolean NOT NULL DEFAULT true,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX notifications_webhook__org_id__name__unique ON notifications_webhook (org_id, name);
CALL kernel_keep_for_undo('notifications_webhook');

-- What went on, beside what people configure: undo leaves it alone.
CREATE TABLE notifications_webhook_figures (
  webhook_id uuid PRIMARY KEY REFERENCES notifications_webhook (id) ON DELETE CASCADE,
  dropped bigint NOT NULL DEFAULT 0,
  date_last_sent timestamptz
);

CREATE TABLE notifications_webhook_delivery (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- The organization of the webhook, not of the event.
  org_id uuid NOT NULL REFERENCES orgs_organization (id) ON DELETE CASCADE,
  webhook uuid NOT NULL REFERENCES notifications_webhook (id) ON DELETE CASCADE,
  kind text NOT NULL,
  -- What it is about: messages about the same go one after the other.
  about text NOT NULL,
  body text NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
  tries integer NOT NULL DEFAULT 0,
  status integer,
  error text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT clock_timestamp(),
  date_tried timestamptz
);
CREATE INDEX notifications_webhook_delivery__webhook ON notifications_webhook_delivery (webhook, date_created DESC, id DESC);
CREATE INDEX notifications_webhook_delivery__waiting ON notifications_webhook_delivery (webhook, about, id) WHERE state = 'waiting';
CREATE INDEX notifications_webhook_delivery__failed ON notifications_webhook_delivery (webhook) WHERE state = 'failed';
CREATE INDEX notifications_webhook_delivery__org_id ON notifications_webhook_delivery (org_id, date_created DESC, id DESC);
CREATE INDEX notifications_webhook_delivery__date_created ON notifications_webhook_delivery (date_created);
CALL kernel_guard_organization('notifications_webhook_delivery', 'webhook', 'notifications_webhook');

-- Queues a message for each webhook that wants such events, in the transaction in which they happen. Of a
-- webhook for which 10,000 wait already, messages are dropped and counted.
CREATE FUNCTION notifications_tell_webhooks(event_kind text, of_org uuid, about_what text, event_data json)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  wanted CONSTANT uuid[] := ARRAY(
    SELECT id FROM notifications_webhook
    WHERE is_active AND event_kind = ANY(kinds) AND (all_orgs OR org_id = of_org) ORDER BY id);
  room uuid[];
BEGIN
  IF wanted = '{}' THEN RETURN; END IF;
  room := ARRAY(
    SELECT one FROM unnest(wanted) one
    WHERE (SELECT count(*) FROM (
      SELECT FROM notifications_webhook_delivery WHERE webhook = one AND state = 'waiting' LIMIT 10000) AS waits) < 10000);
  IF room <> wanted THEN
    INSERT INTO notifications_webhook_figures AS figures (webhook_id, dropped)
      SELECT one, 1 FROM unnest(wanted) one WHERE one <> ALL(room)
      ON CONFLICT (webhook_id) DO UPDATE SET dropped = figures.dropped + 1;
  END IF;
  WITH event AS MATERIALIZED (
    SELECT json_build_object(
      'id', uuidv7(),
      'kind', event_kind,
      'time', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'organization', (SELECT json_build_object('id', id, 'name', name) FROM orgs_listed_organization WHERE id = of_org),
      'data', event_data)::text AS body),
  added AS (
    INSERT INTO notifications_webhook_delivery (org_id, webhook, kind, about, body)
      SELECT w.org_id, w.id, event_kind, about_what, event.body
      FROM notifications_webhook w, event WHERE w.id = ANY(room)
      RETURNING id, webhook)
  INSERT INTO kernel_job (queue, data, owner)
    SELECT 'notifications.deliver_webhook', jsonb_build_object('delivery', id), webhook FROM added;
  PERFORM pg_notify('sallyport', '{"name":"jobs.due","queues":["notifications.deliver_webhook"],"inMs":0}');
END $$;

CREATE FUNCTION notifications_tell_of_ticket() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- The level that was just decided, or waits.
  step CONSTANT jsonb := NEW.process_map -> (CASE TG_ARGV[0] WHEN 'ticket.level_approved' THEN OLD.approval_step ELSE NEW.approval_step END - 1);
BEGIN
  PERFORM notifications_tell_webhooks(TG_ARGV[0], NEW.org_id, NEW.id::text, json_build_object(
    'ticket', NEW.id,
    'number', NEW.serial_num,
    'type', NEW.type,
    -- The title of a command's ticket is the command, which may hold a password.
    'title', CASE WHEN NEW.type <> 'command_confirm' THEN NEW.title END,
    'state', NEW.state,
    'level', (step ->> 'approval_level')::int,
    'applicant', json_build_object('id', NEW.applicant, 'name', NEW.applicant_display),
    'approvers', step -> 'assignees_display',
    'decided_by', nullif(step ->> 'processor_display', ''),
    'decided_in', step -> 'decided_in',
    'page', '/ui/tickets/tickets/' || NEW.id));
  RETURN NULL;
END $$;
CREATE TRIGGER notifications_opened AFTER INSERT ON tickets_ticket
  FOR EACH ROW WHEN (NEW.status = 'open') EXECUTE FUNCTION notifications_tell_of_ticket('ticket.opened');
CREATE TRIGGER notifications_passed_on AFTER UPDATE OF approval_step ON tickets_ticket
  FOR EACH ROW WHEN (NEW.status = 'open' AND NEW.approval_step > OLD.approval_step)
  EXECUTE FUNCTION notifications_tell_of_ticket('ticket.level_approved');
CREATE TRIGGER notifications_ended AFTER UPDATE OF status ON tickets_ticket
  FOR EACH ROW WHEN (NEW.status = 'closed' AND OLD.status = 'open')
  EXECUTE FUNCTION notifications_tell_of_ticket('ticket.ended');

CREATE FUNCTION notifications_tell_of_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notifications_tell_webhooks(TG_ARGV[0], NEW.org_id, NEW.id::text, json_build_object(
    'session', NEW.id,
    'user', json_build_object('id', nullif(NEW.user_id, ''), 'name', NEW."user"),
    'target', json_build_object('id', nullif(NEW.asset_id, ''), 'name', NEW.asset, 'family', NEW.target_family),
    'account', NEW."system_user",
    'protocol', NEW.protocol,
    'address', NEW.remote_addr,
    'started', to_char(NEW.date_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'ended', to_char(NEW.date_end AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'page', '/ui/terminal/sessions/' || NEW.id || '?oid=' || NEW.org_id));
  RETURN NULL;
END $$;
-- A session begins when its target has let it in: what never did so has neither beginning nor end.
CREATE TRIGGER notifications_started AFTER INSERT ON terminal_session
  FOR EACH ROW WHEN (NEW.is_success AND NOT NEW.is_finished)
  EXECUTE FUNCTION notifications_tell_of_session('session.started');
CREATE TRIGGER notifications_let_in AFTER UPDATE OF is_success ON terminal_session
  FOR EACH ROW WHEN (NEW.is_success AND NOT OLD.is_success AND NOT NEW.is_finished)
  EXECUTE FUNCTION notifications_tell_of_session('session.started');
CREATE TRIGGER notifications_ended AFTER UPDATE OF is_finished ON terminal_session
  FOR EACH ROW WHEN (NEW.is_finished AND NOT OLD.is_finished AND (NEW.is_success OR OLD.is_success))
  EXECUTE FUNCTION notifications_tell_of_session('session.ended');
