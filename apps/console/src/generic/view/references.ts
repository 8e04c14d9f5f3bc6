/**
 * Where the rows of a referenced resource are listed and how one is named in a picker. A test holds
 * this against the definitions.
 */
export interface Reference {
  path: string
  display: string
}

export const REFERENCES: Readonly<Record<string, Reference>> = {
  user: { path: '/api/v1/users/users/', display: '{name}({username})' },
  directory: { path: '/api/v1/authentication/directories/', display: '{name}' },
  openid_provider: { path: '/api/v1/authentication/openid-providers/', display: '{name}' },
  saml_provider: { path: '/api/v1/authentication/saml2-providers/', display: '{name}' },
  cas_server: { path: '/api/v1/authentication/cas-servers/', display: '{name}' },
  radius_server: { path: '/api/v1/authentication/radius-servers/', display: '{name}' },
  user_group: { path: '/api/v1/users/groups/', display: '{name}' },
  asset: { path: '/api/v1/assets/assets/', display: '{hostname}({ip})' },
  node: { path: '/api/v1/assets/nodes/', display: '{full_value}' },
  domain: { path: '/api/v1/assets/domains/', display: '{name}' },
  gateway: { path: '/api/v1/assets/gateways/', display: '{name}' },
  secret_source: { path: '/api/v1/assets/secret-sources/', display: '{name}' },
  system_user: { path: '/api/v1/assets/system-users/', display: '{name}({username})' },
  platform: { path: '/api/v1/assets/platforms/', display: '{name}' },
  label: { path: '/api/v1/assets/labels/', display: '{name}:{value}' },
  application: { path: '/api/v1/applications/applications/', display: '{name}({type})' },
  asset_permission: { path: '/api/v1/perms/asset-permissions/', display: '{name}' },
  access_review: { path: '/api/v1/reviews/access-reviews/', display: '{name}' },
  application_permission: { path: '/api/v1/perms/application-permissions/', display: '{name}' },
}
