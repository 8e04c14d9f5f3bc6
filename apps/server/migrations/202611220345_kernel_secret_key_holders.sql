-- Running nodes and the keys that they hold: a rotation asks them before anything is sealed under a new key. Without a sign of life a node has ended.
CREATE TABLE kernel_secret_key_holder (
  node uuid PRIMARY KEY,
  -- host and process, for people
  name text NOT NULL,
  keys text[] NOT NULL,
  seals_under text NOT NULL,
  date_seen timestamptz NOT NULL DEFAULT now()
);
