import { defineSettings } from './define.ts'

/** docs/rules/settings.md#setting_terminal; the last seven, and the two of the browser, are ours. */
export const terminal = defineSettings({
  TERMINAL_PASSWORD_AUTH: {
    type: 'boolean',
    label: 'Sign-in with a password',
    helpText: 'For SSH clients that connect to this server',
    default: true,
  },
  TERMINAL_PUBLIC_KEY_AUTH: {
    type: 'boolean',
    label: 'Sign-in with a key',
    helpText: 'With the public key of their profile',
    default: true,
  },
  TERMINAL_USER_AUTHORITIES: {
    type: 'text',
    label: 'Authorities of certificates',
    helpText:
      'Public keys, one per line. Their SSH certificates sign people in whose username is one of the names in it',
    maxLength: 20_000,
    default: '',
  },
  TERMINAL_REVOKED_CERTIFICATES: {
    type: 'text',
    label: 'Revoked certificates',
    helpText: 'One per line: serial 42, id alice@laptop, or the fingerprint SHA256:… of a key',
    maxLength: 100_000,
    default: '',
  },
  TERMINAL_BROWSER_AUTH: {
    type: 'boolean',
    label: 'Sign-in in the browser',
    helpText: 'Clients of SSH, databases and desktops show an address and a code, and the person confirms there',
    default: true,
  },
  TERMINAL_BROWSER_AUTH_HOLD: {
    type: 'integer',
    label: 'Confirmation holds',
    helpText:
      'Hours for which a person may have a confirmation in the browser hold for their SSH key at the same address; 0 asks each time',
    min: 0,
    max: 168,
    default: 0,
  },
  TERMINAL_ASSET_LIST_SORT_BY: {
    type: 'choice',
    label: 'Order of assets',
    choices: { hostname: 'Hostname', ip: 'IP' },
    default: 'hostname',
  },
  TERMINAL_ASSET_LIST_PAGE_SIZE: {
    type: 'choice',
    label: 'Assets per page',
    helpText: 'In the menu of SSH clients',
    choices: { all: 'All', auto: 'Auto', '10': '10', '15': '15', '25': '25', '50': '50' },
    default: 'auto',
  },
  TERMINAL_TELNET_REGEX: {
    type: 'string',
    label: 'Telnet sign-in pattern',
    helpText: 'Regular expression for the text of a Telnet server after a sign-in; empty is the built-in one',
    maxLength: 1024,
    default: '',
  },
  TERMINAL_RDP_ADDR: {
    type: 'string',
    label: 'RDP address',
    helpText: 'host:port for clients of RDP; empty is the host of the page with the port for RDP',
    maxLength: 1024,
    default: '',
  },
  XRDP_ENABLED: {
    type: 'boolean',
    label: 'Enable XRDP',
    helpText: 'Desktops can be opened by a client of RDP, beside the browser',
    required: true,
    default: true,
  },
  TERMINAL_HEARTBEAT_INTERVAL: {
    type: 'integer',
    label: 'Heartbeat interval',
    helpText: 'Seconds between two signs of life of a component',
    min: 5,
    max: 3600,
    default: 20,
  },
  TERMINAL_SESSION_REATTACH_TIME: {
    type: 'integer',
    label: 'Time to come back',
    helpText: 'Minutes that a session waits for its person after the line broke; 0 ends it at once',
    min: 0,
    max: 1440,
    default: 5,
  },
  TERMINAL_RECORDING_FAILURE: {
    type: 'choice',
    label: 'When recording fails',
    helpText: 'Effect on a session whose recording can no longer be written',
    choices: { stop: 'End the session', alarm: 'Go on and say so' },
    default: 'stop',
  },
  TERMINAL_KEPT_ROWS_SIZE: {
    type: 'integer',
    label: 'Rows kept by a workbench',
    helpText:
      'Megabytes on the disk of the gateway, for going back in a long result; the newest stay, and 0 keeps none',
    min: 0,
    max: 16_384,
    default: 256,
  },
  TERMINAL_KEPT_ROWS_TOTAL: {
    type: 'integer',
    label: 'Rows kept by all workbenches',
    helpText: 'Megabytes on the disk of one node, for all its workbenches',
    min: 0,
    max: 1_048_576,
    default: 2048,
  },
  TERMINAL_RECORD_CLIPBOARD: {
    type: 'boolean',
    label: 'Keep copied text in recordings',
    helpText: 'Text that people copy from desktops and paste there, passwords too; otherwise only its length',
    default: false,
  },
})
