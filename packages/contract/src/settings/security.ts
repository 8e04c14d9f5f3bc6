import { defineSettings } from './define.ts'

const number = (label: string, min: number, max: number, value: number, helpText?: string) =>
  ({ type: 'integer', label, required: true, min, max, default: value, ...(helpText ? { helpText } : {}) }) as const
const on = (label: string, helpText?: string) =>
  ({ type: 'boolean', label, default: true, ...(helpText ? { helpText } : {}) }) as const
const off = (label: string, helpText?: string) =>
  ({ type: 'boolean', label, default: false, ...(helpText ? { helpText } : {}) }) as const
const addresses = (label: string) =>
  ({
    type: 'strings',
    label,
    helpText: 'Addresses, networks such as 10.0.0.0/8, ranges such as 10.0.0.1-10.0.0.9, or * for all',
    default: [],
  }) as const
const MINUTES = 'Minutes'

/** docs/rules/settings.md#setting_security; the last three are ours. */
export const security = defineSettings({
  SECURITY_PASSWORD_MIN_LENGTH: number('Minimum length', 6, 30, 6),
  SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH: number('Minimum length for administrators', 6, 30, 6),
  SECURITY_PASSWORD_UPPER_CASE: off('An upper-case letter is needed'),
  SECURITY_PASSWORD_LOWER_CASE: off('A lower-case letter is needed'),
  SECURITY_PASSWORD_NUMBER: off('A digit is needed'),
  SECURITY_PASSWORD_SPECIAL_CHAR: off('A special character is needed'),
  SECURITY_MFA_AUTH: {
    type: 'choice',
    integer: true,
    label: 'MFA for everybody',
    choices: { 0: 'Disabled', 1: 'All users', 2: 'Administrators only' },
    default: 0,
  },
  SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY: on('Third-party MFA', 'Also for people who sign in by OIDC, CAS or SAML2'),
  SECURITY_LOGIN_LIMIT_COUNT: number(
    'Failures before a name is locked',
    3,
    99_999,
    7,
    'Failed sign-ins before the name is locked',
  ),
  SECURITY_LOGIN_LIMIT_TIME: number('Lock of a name', 5, 99_999, 30, MINUTES),
  // The contract has 99,999, which is none: many names could be tried from one address without end.
  // Each success there begins the count again, so an office behind one address never comes this far.
  SECURITY_LOGIN_IP_LIMIT_COUNT: number(
    'Failures before an address is locked',
    3,
    99_999,
    1000,
    'Failed sign-ins before the address is locked',
  ),
  SECURITY_LOGIN_IP_LIMIT_TIME: number('Lock of an address', 5, 99_999, 30, MINUTES),
  SECURITY_LOGIN_IP_WHITE_LIST: addresses('Addresses always allowed'),
  SECURITY_LOGIN_IP_BLACK_LIST: addresses('Addresses never allowed'),
  SECURITY_PASSWORD_EXPIRATION_TIME: number(
    'Password lifetime',
    1,
    99_999,
    9999,
    'Days; people are reminded by mail in the last five of them',
  ),
  OLD_PASSWORD_HISTORY_LIMIT_COUNT: number(
    'Earlier passwords not allowed',
    0,
    99_999,
    5,
    'Number of earlier passwords that can’t be used again; 0 allows all',
  ),
  USER_LOGIN_SINGLE_MACHINE_ENABLED: off(
    'One device at a time',
    'A new browser signs the person out of the others; API tokens and SSH connections stay',
  ),
  ONLY_ALLOW_EXIST_USER_AUTH: off(
    'Existing people only',
    'A directory or provider lets in only people who have an account here already',
  ),
  ONLY_ALLOW_AUTH_FROM_SOURCE: off(
    'Sign-in at the own source only',
    'A person of a directory cannot sign in with a password that is kept here',
  ),
  SECURITY_MFA_VERIFY_TTL: number(
    'MFA verify lifetime',
    5,
    36_000,
    3600,
    'Seconds that a proven second factor counts before secrets are shown',
  ),
  SECURITY_LOGIN_CHALLENGE_ENABLED: off(
    'Dynamic code at sign-in',
    'A field for a code that your RADIUS or LDAP server expects after the password',
  ),
  SECURITY_MFA_IN_LOGIN_PAGE: off(
    'MFA on the sign-in page',
    'The code is asked for beside the password, not on a page after it',
  ),
  SECURITY_LOGIN_CAPTCHA_ENABLED: on(
    'Captcha at sign-in',
    'A sum to solve after three failures: against programs that guess',
  ),
  SECURITY_SERVICE_ACCOUNT_REGISTRATION: {
    ...on('Registration of components'),
    helpText: 'New components may register themselves; switch it off once all run',
    required: true,
  },
  SECURITY_WATERMARK_ENABLED: {
    ...on('Watermark'),
    helpText: 'The name of the person lies faintly over sessions',
    required: true,
  },
  SECURITY_WATERMARK_STRENGTH: {
    type: 'integer',
    label: 'Watermark strength',
    helpText: 'Per cent; with 3 to 4 a photograph names the person, and what lies below stays easy to read',
    min: 1,
    max: 30,
    default: 4,
  },
  SECURITY_MAX_IDLE_TIME: {
    type: 'integer',
    label: 'Longest idle time',
    helpText: 'Minutes without traffic until a session is ended',
    min: 1,
    max: 99_999,
    default: 30,
  },
  SECURITY_MANY_PEOPLE_PER_ASSET: {
    type: 'integer',
    label: 'Many people per asset',
    helpText: 'Assets that more people reach are among the suggestions',
    min: 1,
    max: 99_999,
    default: 50,
  },
  SECURITY_LUNA_REMEMBER_AUTH: { ...on('Remember what was typed by hand'), required: true },
  CHANGE_AUTH_PLAN_SECURE_MODE_ENABLED: {
    ...on('Change-auth secure mode'),
    helpText: 'Plans never change the admin user itself, by which assets are reached',
    required: true,
  },
  SECURITY_INSECURE_COMMAND: off(
    'Insecure command alert',
    'Denied commands are reported to subscribers of the danger command alert',
  ),
  SECURITY_INSECURE_COMMAND_EMAIL_RECEIVER: { type: 'string', label: 'Email recipient', maxLength: 8192, default: '' },
  SECURITY_COMMAND_EXECUTION: on('Batch commands', 'One command on many assets at once'),
  SECURITY_AGENTS: {
    type: 'choice',
    label: 'Agents (MCP)',
    helpText: 'Who may work by an agent, with at most their own rights',
    choices: { off: 'Nobody', identities: 'Service identities', everybody: 'Service identities and people' },
    default: 'off',
  },
  SECURITY_AGENT_CALLS: number('Calls of an agent', 1, 1_000_000, 1000, 'Uses of tools in an hour'),
  SECURITY_AGENT_ROWS: number('Rows of an agent', 1, 10_000_000, 20_000, 'Rows that tools answer in an hour'),
  SECURITY_AGENT_MINUTES: number('Minutes of an agent', 1, 6000, 60, 'Time that tools work in an hour, all together'),
  SECURITY_SESSION_SHARE: { ...on('Session sharing', 'People may let others join their sessions'), required: true },
  SECURITY_SESSION_SHARE_OUTSIDE: off(
    'Session sharing beyond organizations',
    'Everybody who has signed in may join a shared session by its link and code, not only members of its organization',
  ),
  SECURITY_CHECK_DIFFERENT_CITY_LOGIN: on(
    'Tell of sign-ins from another city',
    'People get a message when they sign in from another city; needs a file with the cities of addresses',
  ),
  SECURITY_SIGNED_REQUEST_AGE: {
    type: 'integer',
    label: 'Age of signed requests',
    helpText:
      'Highest age in minutes of a request signed with an API key; above 15, a copy of a request counts as long',
    min: 15,
    max: 52_560_000,
    default: 15,
  },
  SECURITY_MAX_SESSION_TIME: {
    type: 'integer',
    label: 'Longest session',
    helpText: 'Hours that one session may last',
    min: 1,
    max: 9999,
    default: 24,
  },
  SECURITY_MAX_SESSIONS_PER_USER: {
    type: 'integer',
    label: 'Sessions of one person',
    helpText: 'At the same time; 0 is no limit',
    min: 0,
    max: 99_999,
    default: 0,
  },
  SECURITY_MAX_SESSIONS_PER_ASSET: {
    type: 'integer',
    label: 'Sessions to one asset',
    helpText: 'At the same time; 0 is no limit',
    min: 0,
    max: 99_999,
    default: 0,
  },
})
