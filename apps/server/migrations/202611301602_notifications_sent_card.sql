-- Cards in messengers about something that others may settle: they are then changed there.
CREATE TABLE notifications_sent_card (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  channel text NOT NULL,
  -- What it is about, such as a ticket, and a part of it, such as a level.
  topic uuid NOT NULL,
  part integer NOT NULL,
  language text NOT NULL,
  -- How the messenger names it.
  place text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notifications_sent_card__topic ON notifications_sent_card (topic);
CREATE INDEX notifications_sent_card__date_created ON notifications_sent_card (date_created);
