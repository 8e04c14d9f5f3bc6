-- What other domains may ask of assets, nodes and system users; the tables themselves are private to assets. No view holds a secret.

CREATE VIEW assets_listed_asset AS
  SELECT id, org_id, hostname, ip, protocols, platform, os, domain, comment, is_active FROM assets_asset;

CREATE VIEW assets_listed_platform AS
  SELECT name, base FROM assets_platform;

-- Brothers and subtrees are found by parent_key and path.
CREATE VIEW assets_listed_node AS
  SELECT id, org_id, key, parent_key, path, value, full_value FROM assets_node;

CREATE VIEW assets_listed_system_user AS
  SELECT s.id, s.org_id, s.name, s.username, s.type, s.protocol, s.login_mode, s.priority, s.sudo, s.shell, s.sftp_root, s.ad_domain,
    s.username_same_with_user, s.auto_push, s.su_enabled, s.su_from, s.comment, s.created_by, s.date_created,
    ARRAY(SELECT f.filter_id FROM assets_command_filter_system_user f WHERE f.system_user_id = s.id ORDER BY f.id) AS cmd_filters
  FROM assets_system_user s;

-- The nodes that an asset itself lies in.
CREATE VIEW assets_asset_in_node AS
  SELECT asset_id, node_id FROM assets_asset_node;

-- The nodes that an asset lies in or under; a pair may come several times.
CREATE VIEW assets_asset_under_node AS
  SELECT placed.asset_id, above.id AS node_id
  FROM assets_asset_node placed JOIN assets_node n ON n.id = placed.node_id JOIN assets_node above ON above.path @> n.path;

CREATE VIEW assets_favorite AS
  SELECT user_id, asset AS asset_id FROM assets_favorite_asset;
