-- Reviews begin and end in the background: both read all that is granted, and 90 days of use.
ALTER TABLE reviews_access_review
  DROP CONSTRAINT reviews_access_review_state_check,
  ADD CONSTRAINT reviews_access_review_state_check
    CHECK (state IN ('planned', 'beginning', 'open', 'ending', 'ended')),
  -- The job that carries it on, while it begins or ends.
  ADD job uuid,
  -- Who ended it before its time, as `author`, with `remote_addr`; empty: the clock.
  ADD ended_by jsonb NOT NULL DEFAULT '{}';
-- When somebody asked for a look last; both are NULL where nobody has, or it was not looked yet.
ALTER TABLE reviews_look ALTER date_looked DROP NOT NULL, ADD date_asked timestamptz;
