-- Departments of messengers give by rules as groups of a directory do: to people of any source who have
-- bound that messenger. So a person may be known by several sources at once.

ALTER TABLE authentication_group_mapping
  DROP CONSTRAINT authentication_group_mapping_source_check,
  ADD CONSTRAINT authentication_group_mapping_source_check
    CHECK (source IN ('ldap', 'openid', 'saml2', 'cas', 'radius', 'wecom', 'dingtalk', 'feishu'));

ALTER TABLE authentication_outside_groups
  DROP CONSTRAINT authentication_outside_groups_pkey,
  ADD PRIMARY KEY (user_id, source);
