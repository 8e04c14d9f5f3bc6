-- Views of the console's lists that people have named, for themselves alone.
CREATE TABLE users_list_view (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  -- Which list of the console it is of, in the console's own words.
  list text NOT NULL,
  name text NOT NULL,
  -- Shown where the list is opened without a search of its own.
  is_default boolean NOT NULL DEFAULT false,
  search text[] NOT NULL DEFAULT '{}',
  filters jsonb NOT NULL DEFAULT '{}',
  "order" text NOT NULL DEFAULT '',
  -- None: those that the list has by itself.
  columns text[] NOT NULL DEFAULT '{}',
  density text NOT NULL DEFAULT 'comfortable' CHECK (density IN ('comfortable', 'compact'))
);
-- Named by what a person can mend: of a name that they have used already.
CREATE UNIQUE INDEX users_list_view__name__unique ON users_list_view (user_id, list, name);
CREATE UNIQUE INDEX users_list_view__is_default__unique ON users_list_view (user_id, list) WHERE is_default;
