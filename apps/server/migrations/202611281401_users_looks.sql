-- What user names are taken for at a glance (UTS #39), so that nobody is made who passes for somebody else. The program fills it in, at its start for those who were there before.
ALTER TABLE users_user ADD COLUMN looks text[];
CREATE INDEX users_user__looks ON users_user USING gin (looks);
CREATE INDEX users_user__without_looks ON users_user (id) WHERE looks IS NULL;
