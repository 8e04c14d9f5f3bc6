/** A row for each page of which the company of the demo has none. */

const AT = 'https://sign-in.example.com'

/** Path and draft of each. None is asked by anybody who signs in: those of people are switched off. */
export const rowsOfSettings = (administrator: string): readonly [path: string, draft: object][] => [
  [
    '/api/v1/authentication/directories/',
    {
      name: 'Directory of partners',
      is_active: false,
      server_uri: 'ldaps://directory.example.com',
      search_ou: 'ou=people,dc=example,dc=com',
    },
  ],
  [
    '/api/v1/authentication/openid-providers/',
    {
      name: 'OpenID of partners',
      is_active: false,
      client_id: 'sallyport',
      issuer: AT,
      authorization_endpoint: `${AT}/authorize`,
      token_endpoint: `${AT}/token`,
      jwks_endpoint: `${AT}/keys`,
      userinfo_endpoint: `${AT}/userinfo`,
    },
  ],
  [
    '/api/v1/authentication/saml2-providers/',
    { name: 'SAML of partners', is_active: false, metadata_url: `${AT}/metadata` },
  ],
  ['/api/v1/authentication/cas-servers/', { name: 'CAS of partners', is_active: false, server_url: `${AT}/cas/` }],
  [
    '/api/v1/authentication/radius-servers/',
    { name: 'RADIUS of partners', is_active: false, host: 'radius.example.com', secret: 'a-secret-of-radius' },
  ],
  [
    '/api/v1/authentication/group-mappings/',
    { name: 'Operators of the directory', value: 'cn=operators,dc=example,dc=com', roles: ['User'] },
  ],
  [
    '/api/v1/acls/login-acls/',
    {
      name: 'Office hours',
      user: administrator,
      action: 'allow',
      reviewers: [administrator],
      rules: { ip_group: ['*'], time_period: [] },
    },
  ],
  [
    '/api/v1/assets/secret-sources/',
    { name: 'Vault of operations', address: 'https://vault.example.com', token: 'a-token-of-vault' },
  ],
  ['/api/v1/assets/ssh-authorities/', { comment: 'The first one' }],
  [
    '/api/v1/assets/host-authorities/',
    {
      name: 'Hosts of the company',
      public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGzLvXo1pIvmVvRRlEvEr4eFl0xqT6QkqZ2b9m0cJxVt',
    },
  ],
  [
    '/api/v1/terminal/replay-storages/',
    {
      name: 'Objects',
      type: 's3',
      meta: {
        BUCKET: 'recordings',
        ACCESS_KEY: 'key-of-objects',
        SECRET_KEY: 'secret-of-objects',
        ENDPOINT: 'http://127.0.0.1:9',
      },
    },
  ],
]
