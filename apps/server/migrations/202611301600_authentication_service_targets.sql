-- The targets that a service identity reaches at all, where it is limited to some.
ALTER TABLE authentication_service_identity ADD COLUMN limits_targets boolean NOT NULL DEFAULT false;

CREATE TABLE authentication_service_identity_node (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  identity uuid NOT NULL REFERENCES authentication_service_identity (id) ON DELETE CASCADE,
  node uuid NOT NULL REFERENCES assets_node (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX authentication_service_identity_node__identity__node__unique ON authentication_service_identity_node (identity, node);
CREATE INDEX authentication_service_identity_node__node ON authentication_service_identity_node (node);

CREATE TABLE authentication_service_identity_asset (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  identity uuid NOT NULL REFERENCES authentication_service_identity (id) ON DELETE CASCADE,
  asset uuid NOT NULL REFERENCES assets_asset (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX authentication_service_identity_asset__identity__asset__unique ON authentication_service_identity_asset (identity, asset);
CREATE INDEX authentication_service_identity_asset__asset ON authentication_service_identity_asset (asset);

CREATE TABLE authentication_service_identity_application (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  identity uuid NOT NULL REFERENCES authentication_service_identity (id) ON DELETE CASCADE,
  application uuid NOT NULL REFERENCES applications_application (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX authentication_service_identity_application__identity__application__unique ON authentication_service_identity_application (identity, application);
CREATE INDEX authentication_service_identity_application__application ON authentication_service_identity_application (application);

CALL kernel_keep_for_undo(
  'authentication_service_identity_node', 'authentication_service_identity_asset',
  'authentication_service_identity_application');

CALL kernel_guard_organization('authentication_service_identity_node', 'identity', 'authentication_service_identity', 'node', 'assets_node');
CALL kernel_guard_organization('authentication_service_identity_asset', 'identity', 'authentication_service_identity', 'asset', 'assets_asset');
CALL kernel_guard_organization(
  'authentication_service_identity_application', 'identity', 'authentication_service_identity',
  'application', 'applications_application');
