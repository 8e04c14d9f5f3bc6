-- Accounts of a user name in one organisation, in the order of the list.
CREATE INDEX assets_account__org_id__username ON assets_account (org_id, username, id);

-- The same unique index, with the organisation in it: accounts below a node are counted by the index alone.
CREATE UNIQUE INDEX assets_account__with_org ON assets_account (asset, systemuser, username) INCLUDE (org_id) NULLS NOT DISTINCT;
DROP INDEX assets_account__username__asset__systemuser__unique;
ALTER INDEX assets_account__with_org RENAME TO assets_account__username__asset__systemuser__unique;
