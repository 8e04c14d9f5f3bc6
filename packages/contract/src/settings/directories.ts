import { defineSettings } from './define.ts'

/** docs/rules/settings.md#setting_ldap. */
export const ldap = defineSettings({
  AUTH_LDAP_SERVER_URI: {
    type: 'string',
    label: 'LDAP server',
    helpText: 'Such as ldaps://ad.example.com:636; ldap:// sends passwords in clear unless StartTLS is on',
    required: true,
    maxLength: 1024,
    default: 'ldap://localhost:389',
  },
  AUTH_LDAP_BIND_DN: {
    type: 'string',
    label: 'Bind DN',
    helpText: 'The account that looks people up; it needs to read only',
    maxLength: 1024,
    default: 'cn=admin,dc=example,dc=org',
  },
  AUTH_LDAP_BIND_PASSWORD: {
    type: 'string',
    label: 'Password',
    maxLength: 1024,
    writeOnly: true,
    sentTo: { addresses: ['AUTH_LDAP_SERVER_URI'], encryptedBy: ['AUTH_LDAP_START_TLS'] },
    default: '',
  },
  AUTH_LDAP_SEARCH_OU: {
    type: 'string',
    label: 'User OU',
    helpText: 'Several are separated by |',
    maxLength: 1024,
    default: 'ou=tech,dc=example,dc=org',
  },
  AUTH_LDAP_SEARCH_FILTER: {
    type: 'string',
    label: 'User search filter',
    helpText: '%(user)s is the name that is typed; (sAMAccountName=%(user)s) for Active Directory',
    required: true,
    maxLength: 1024,
    default: '(cn=%(user)s)',
  },
  AUTH_LDAP_USER_ATTR_MAP: {
    type: 'object',
    label: 'User attribute map',
    helpText: 'Our attribute to the one of the directory; username, name and email are needed',
    required: true,
    default: { username: 'cn', name: 'sn', email: 'mail' },
  },
  AUTH_LDAP_GROUP_SEARCH_OU: {
    type: 'string',
    label: 'Group OU',
    helpText:
      'Where group mappings look for groups; several are separated by |. Empty: those that entries name by memberOf alone',
    maxLength: 1024,
    default: '',
  },
  AUTH_LDAP_SYNC_IS_PERIODIC: { type: 'boolean', label: 'Run on a schedule', default: false },
  AUTH_LDAP_SYNC_CRONTAB: { type: 'string', label: 'At fixed times', nullable: true, maxLength: 128, default: '' },
  AUTH_LDAP_SYNC_INTERVAL: {
    type: 'integer',
    label: 'At intervals',
    helpText: 'Hours; if both are set, the fixed times count',
    nullable: true,
    min: 1,
    max: 65_535,
    default: null,
  },
  AUTH_LDAP_CONNECT_TIMEOUT: {
    type: 'integer',
    label: 'Connect timeout',
    helpText: 'Seconds',
    min: 1,
    max: 300,
    default: 10,
  },
  AUTH_LDAP_SEARCH_PAGED_SIZE: {
    type: 'integer',
    label: 'Search page size',
    helpText: 'People that the directory is asked for at once; 0 asks for all',
    min: 0,
    max: 100_000,
    default: 1000,
  },
  AUTH_LDAP: {
    type: 'boolean',
    label: 'Sign-in by LDAP',
    helpText: 'People of the directory sign in with the password they have there',
    default: false,
  },
})

/**
 * Set by file or environment only (docs/rules/settings.md#setting_ldap); the third is an
 * extension.
 */
export const ldapConnection = defineSettings({
  AUTH_LDAP_START_TLS: { type: 'boolean', label: 'Encrypt ldap:// by StartTLS', default: false },
  AUTH_LDAP_USER_LOGIN_ONLY_IN_USERS: {
    type: 'boolean',
    label: 'Only people who exist here may sign in by LDAP',
    default: false,
  },
  AUTH_LDAP_TLS_CA_FILE: {
    type: 'string',
    label: 'Certificates of the authority that the LDAP server is verified with',
    helpText: 'A PEM file on the server; those of the system when empty',
    maxLength: 1024,
    default: '',
  },
})

/** docs/rules/settings.md#setting_radius. */
export const radius = defineSettings({
  AUTH_RADIUS: { type: 'boolean', label: 'Sign-in by RADIUS', default: false },
  RADIUS_SERVER: {
    type: 'string',
    label: 'Host',
    helpText: 'Address or name of the RADIUS server',
    maxLength: 1024,
    default: 'localhost',
  },
  RADIUS_PORT: { type: 'integer', label: 'Port', min: 1, max: 65_535, default: 1812 },
  RADIUS_SECRET: {
    type: 'string',
    label: 'Secret',
    helpText: 'The secret that the RADIUS server has for this one',
    maxLength: 1024,
    nullable: true,
    writeOnly: true,
    sentTo: { addresses: ['RADIUS_SERVER', 'RADIUS_PORT'] },
    default: '',
  },
  OTP_IN_RADIUS: {
    type: 'boolean',
    label: 'OTP in RADIUS',
    helpText: 'RADIUS is offered as a second factor; there the code is checked',
    default: false,
  },
})
