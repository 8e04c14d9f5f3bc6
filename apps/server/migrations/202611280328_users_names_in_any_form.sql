-- User names are unique whatever form their letters have: "ｕｎｉ" in full width, or an accent that is a letter of its own, looked like "uni" to whoever reads a log.
-- As with case (202611221108), people who were stored before stay as they are: all but the first are marked, and the index leaves them out until they get another name.
UPDATE users_user u SET has_similar = true FROM (
  SELECT id, row_number() OVER (PARTITION BY lower(normalize(username, NFKC)) ORDER BY id) AS by_name FROM users_user WHERE NOT has_similar
) d WHERE d.id = u.id AND d.by_name > 1;
CREATE UNIQUE INDEX users_user_any_form__username__unique ON users_user (lower(normalize(username, NFKC))) WHERE NOT has_similar;
