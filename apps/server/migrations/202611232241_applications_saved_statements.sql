-- Statements that people keep for themselves. `application` is no reference: who has lost a database keeps their texts.
CREATE TABLE applications_saved_statement (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  application uuid NOT NULL,
  name text NOT NULL,
  statement text NOT NULL,
  date_updated timestamptz NOT NULL DEFAULT now()
);
-- Named by what a person can mend: of a name that they have used already.
CREATE UNIQUE INDEX applications_saved_statement__name__unique ON applications_saved_statement (user_id, application, name);
