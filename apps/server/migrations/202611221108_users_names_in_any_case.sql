-- User names and mail addresses are unique whatever their case. People who were stored before and differ by case alone stay as they are: all but the first are
-- marked, and the indexes leave them out until they get another name or address. The server names them when it starts.
ALTER TABLE users_user ADD COLUMN has_similar boolean NOT NULL DEFAULT false;
UPDATE users_user u SET has_similar = true FROM (
  SELECT id, row_number() OVER (PARTITION BY lower(username) ORDER BY id) AS by_name, row_number() OVER (PARTITION BY lower(email) ORDER BY id) AS by_email
  FROM users_user
) d WHERE d.id = u.id AND (d.by_name > 1 OR d.by_email > 1);
CREATE UNIQUE INDEX users_user_any_case__username__unique ON users_user (lower(username)) WHERE NOT has_similar;
CREATE UNIQUE INDEX users_user_any_case__email__unique ON users_user (lower(email)) WHERE NOT has_similar;

CREATE FUNCTION users_user_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.has_similar := false;
  RETURN NEW;
END $$;
CREATE TRIGGER renamed BEFORE UPDATE OF username, email ON users_user FOR EACH ROW
  WHEN (OLD.has_similar AND (OLD.username, OLD.email) IS DISTINCT FROM (NEW.username, NEW.email)) EXECUTE FUNCTION users_user_renamed();
