-- Which family of targets `asset_id` is of, see packages/contract/src/target.ts. Sessions that gateways of their own reported are told by their protocol.
ALTER TABLE terminal_session ADD COLUMN target_family text NOT NULL DEFAULT 'asset';
UPDATE terminal_session SET target_family = 'application' WHERE protocol NOT IN ('ssh', 'rdp', 'vnc', 'telnet');

CREATE OR REPLACE VIEW terminal_listed_session AS
  SELECT id, org_id, "user", user_id, asset, asset_id, system_user, system_user_id, login_from, protocol, is_finished, date_start, date_end, target_family
  FROM terminal_session;
