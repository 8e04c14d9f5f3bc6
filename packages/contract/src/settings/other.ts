import { defineSettings } from './define.ts'

const days = (label: string, max: number, value: number) =>
  ({ type: 'integer', label, helpText: 'Days', required: true, min: 1, max, default: value }) as const

/** docs/rules/settings.md#setting_clean; the last one is ours. */
export const clean = defineSettings({
  LOGIN_LOG_KEEP_DAYS: days('Sign-in log', 9999, 200),
  TASK_LOG_KEEP_DAYS: days('Task log', 9999, 90),
  OPERATE_LOG_KEEP_DAYS: days('Operation log', 9999, 200),
  FTP_LOG_KEEP_DAYS: days('File transfers', 9999, 200),
  AUDIT_UNDO_DAYS: {
    ...days('Changes that can be taken back', 365, 30),
    helpText: 'Days in which a change can be undone. What it replaced or deleted is kept as long, secrets sealed',
  },
  AUDIT_UNDO_MEGABYTES: {
    type: 'integer',
    label: 'Room for changes that can be taken back',
    helpText: 'Megabytes of the database; every night the oldest changes above it can no longer be undone',
    min: 1,
    max: 1_000_000,
    default: 2000,
  },
  CLOUD_SYNC_TASK_EXECUTION_KEEP_DAYS: days('Cloud syncs', 9999, 30),
  TERMINAL_SESSION_KEEP_DURATION: {
    ...days('Sessions and recordings', 99_999, 200),
    helpText: 'Days; sessions, recordings and commands',
  },
  SITE_MESSAGE_KEEP_DAYS: days('Site messages', 9999, 200),
})

/** docs/rules/settings.md#setting_other. */
export const other = defineSettings({
  EMAIL_SUFFIX: {
    type: 'string',
    label: 'Email suffix',
    helpText: 'Put after the @ for people without an address in their directory',
    maxLength: 1024,
    default: 'example.com',
  },
  OTP_ISSUER_NAME: {
    type: 'string',
    label: 'OTP issuer name',
    helpText: 'Shown by authenticator apps beside the code; the name of this site when empty',
    maxLength: 16,
    default: '',
  },
  OTP_VALID_WINDOW: {
    type: 'integer',
    label: 'OTP valid window',
    helpText: 'Codes of this many half minutes before and after now count',
    required: true,
    min: 1,
    max: 10,
    default: 2,
  },
  WINDOWS_SSH_DEFAULT_SHELL: {
    type: 'choice',
    label: 'Shell (Windows)',
    helpText: 'Shell that the SSH server of Windows machines starts, for tasks on them',
    required: true,
    choices: { cmd: 'CMD', powershell: 'PowerShell' },
    default: 'cmd',
  },
  PERM_SINGLE_ASSET_TO_UNGROUP_NODE: {
    type: 'boolean',
    label: 'Ungrouped node for single assets',
    helpText: 'Assets that are granted one by one are in a separate folder instead of their nodes',
    default: false,
  },
  IMPORT_FILE_LIMIT_MB: {
    type: 'integer',
    label: 'Size limit of import files',
    helpText: 'MB',
    min: 10,
    max: 1024,
    default: 30,
  },
  HELP_DOCUMENT_URL: {
    type: 'url',
    label: 'Docs link',
    helpText: 'In the help menu; empty shows none',
    nullable: true,
    maxLength: 1024,
    default: '',
  },
  HELP_SUPPORT_URL: {
    type: 'url',
    label: 'Support link',
    helpText: 'In the help menu; empty shows none',
    nullable: true,
    maxLength: 1024,
    default: '',
  },
  HELP_ENTERPRISE_URL: {
    type: 'url',
    label: 'Enterprise link',
    helpText: 'Target of the help menu while no license is valid; empty is the license page of this server',
    nullable: true,
    maxLength: 1024,
    default: '',
  },
})

/** In the order of their numbers (RFC 5424, 6.2.1). */
export const SYSLOG_FACILITIES = {
  kern: 'kern',
  user: 'user',
  mail: 'mail',
  daemon: 'daemon',
  auth: 'auth',
  syslog: 'syslog',
  lpr: 'lpr',
  news: 'news',
  uucp: 'uucp',
  cron: 'cron',
  authpriv: 'authpriv',
  ftp: 'ftp',
  ntp: 'ntp',
  security: 'security',
  console: 'console',
  'solaris-cron': 'solaris-cron',
  local0: 'local0',
  local1: 'local1',
  local2: 'local2',
  local3: 'local3',
  local4: 'local4',
  local5: 'local5',
  local6: 'local6',
  local7: 'local7',
} as const

/**
 * Set by file or environment only (docs/rules/settings.md#server_config, and what other pages of
 * the console will edit).
 */
export const installation = defineSettings({
  LOGIN_REDIRECT_TO_BACKEND: {
    type: 'string',
    label: 'Target of the sign-in page',
    helpText: 'OPENID, CAS or SAML2; DIRECT for nowhere; the first of them that is enabled when empty',
    maxLength: 32,
    default: '',
  },
  AUTH_OPENID_USER_ATTR_MAP: {
    type: 'object',
    label: 'Claims of OpenID people',
    helpText: 'Our username, name, email and phone, each with its claim',
    default: { username: 'preferred_username', name: 'name', email: 'email', phone: 'phone_number' },
  },
  AUTH_OPENID_EMAIL_IS_TRUSTED: {
    type: 'boolean',
    label: 'OpenID addresses are verified',
    helpText:
      'Where the user name is the claim `email` and the provider sends no `email_verified`: whether its addresses name people all the same. Only for providers whose people cannot choose their address',
    default: false,
  },
  SITE_URL_SEEN: {
    type: 'string',
    label: 'Site URL until one is set',
    helpText: 'Set automatically: the address at which a system administrator signed in last',
    maxLength: 1024,
    default: '',
  },
  LOGIN_TITLE: { type: 'string', label: 'Name of the site', maxLength: 1024, default: '' },
  CITY_DATABASE_FILE: {
    type: 'string',
    label: 'Cities of addresses',
    helpText:
      'A MaxMind DB file on the server (.mmdb), such as GeoLite2 City or DB-IP City Lite; without one, cities stay unknown',
    maxLength: 1024,
    default: '',
  },
  SYSLOG_ADDR: {
    type: 'string',
    label: 'System for audit events',
    helpText:
      'Host and port of a syslog receiver or SIEM, such as `10.0.0.9:514` (docs/operate-siem.md); the same for all nodes',
    maxLength: 300,
    default: '',
  },
  SYSLOG_FACILITY: {
    type: 'choice',
    label: 'Facility of audit events',
    choices: SYSLOG_FACILITIES,
    default: 'user',
  },
  SYSLOG_TRANSPORT: {
    type: 'choice',
    label: 'How audit events are sent',
    helpText: 'Over UDP nothing confirms that an event has arrived',
    choices: { udp: 'UDP', tcp: 'TCP', tls: 'TLS' },
    default: 'udp',
  },
  SYSLOG_FORMAT: {
    type: 'choice',
    label: 'Form of audit events',
    choices: { plain: 'Plain', rfc5424: 'RFC 5424', cef: 'CEF', json: 'JSON lines' },
    default: 'plain',
  },
  SYSLOG_CA_FILE: {
    type: 'string',
    label: 'Authority of that system',
    helpText: 'File with certificates (PEM) on the server for checking the receiver, instead of the public ones',
    maxLength: 1024,
    default: '',
  },
  AUDIT_WEBHOOK_URL: {
    type: 'string',
    label: 'Webhook for audit events',
    helpText:
      'Gets them as signed JSON, such as `https://siem.example.com/events` (docs/operate-siem.md); the same for all nodes',
    maxLength: 1024,
    default: '',
  },
  AUDIT_WEBHOOK_SECRET: {
    type: 'string',
    label: 'Secret of that webhook',
    helpText: 'Key of its signature: 24 characters or more, or `whsec_` and base64',
    maxLength: 256,
    writeOnly: true,
    // Both are named by file and environment alone.
    sentTo: { addresses: [] },
    default: '',
  },
  SECURITY_VIEW_AUTH_NEED_MFA: {
    type: 'boolean',
    label: 'Secrets are shown after a second factor only',
    default: true,
  },
  WINDOWS_SKIP_ALL_MANUAL_PASSWORD: {
    type: 'boolean',
    label: 'Never ask for passwords of Windows machines',
    default: false,
  },
  SESSION_COOKIE_AGE: {
    type: 'integer',
    label: 'Browser session lifetime',
    helpText: 'Seconds without a call',
    min: 60,
    max: 31_536_000,
    default: 86_400,
  },
  SESSION_EXPIRE_AT_BROWSER_CLOSE_FORCE: {
    type: 'boolean',
    label: 'Sign-ins end with the browser',
    helpText: 'Also for people who asked to stay signed in',
    default: false,
  },
  TOKEN_EXPIRATION: {
    type: 'integer',
    label: 'Bearer token lifetime',
    helpText: 'Seconds',
    min: 60,
    max: 31_536_000,
    default: 86_400,
  },
})
