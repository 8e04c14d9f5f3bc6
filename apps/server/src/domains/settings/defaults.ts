/** Settings that an administrator may change, with their defaults (contract/settings.yaml). Units are in the comments where the name does not say them. */
export const SETTING_DEFAULTS = {
  GLOBAL_ORG_DISPLAY_NAME: '',
  LOGIN_TITLE: '',
  SITE_URL: 'http://127.0.0.1:8080',
  USER_GUIDE_URL: '',
  HELP_DOCUMENT_URL: '',
  HELP_SUPPORT_URL: '',
  EMAIL_SUFFIX: 'sallyport.local',
  ANNOUNCEMENT_ENABLED: true,
  ANNOUNCEMENT: {} as Record<string, string>,
  TICKETS_ENABLED: true,
  XRDP_ENABLED: true,
  WINDOWS_SKIP_ALL_MANUAL_PASSWORD: false,
  /** MB (2^20 bytes) that a file to import may have; at least 10. */
  IMPORT_FILE_LIMIT_MB: 30,

  /** Failed sign-ins by name and address before the name is locked. */
  SECURITY_LOGIN_LIMIT_COUNT: 7,
  /** Minutes of that lock. */
  SECURITY_LOGIN_LIMIT_TIME: 30,
  /** Failed sign-ins by address before the address is locked. */
  SECURITY_LOGIN_IP_LIMIT_COUNT: 99_999,
  /** Minutes of that lock. */
  SECURITY_LOGIN_IP_LIMIT_TIME: 30,
  SECURITY_LOGIN_IP_WHITE_LIST: [] as string[],
  SECURITY_LOGIN_IP_BLACK_LIST: [] as string[],
  /** After a failed sign-in the page asks that address a captcha. */
  SECURITY_LOGIN_CAPTCHA_ENABLED: true,
  /** The sign-in page has a box for a dynamic code, which is appended to the password. */
  SECURITY_LOGIN_CHALLENGE_ENABLED: false,
  /** The sign-in page asks for the second factor as well. */
  SECURITY_MFA_IN_LOGIN_PAGE: false,
  /** With each sign-in on a browser the person's other browser sessions end. */
  USER_LOGIN_SINGLE_MACHINE_ENABLED: false,
  /** 0 nobody is forced, 1 everybody, 2 administrators. */
  SECURITY_MFA_AUTH: 0,
  /** Seconds that a verified second factor stays valid. */
  SECURITY_MFA_VERIFY_TTL: 3600,
  SECURITY_VIEW_AUTH_NEED_MFA: true,
  /** What authenticator apps show beside the code; the product's name when empty. */
  OTP_ISSUER_NAME: '',
  /** Time steps of 30 s before and after now whose codes are accepted. */
  OTP_VALID_WINDOW: 2,
  /** Days until a password runs out. */
  SECURITY_PASSWORD_EXPIRATION_TIME: 9999,
  SECURITY_PASSWORD_MIN_LENGTH: 6,
  SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH: 6,
  SECURITY_PASSWORD_UPPER_CASE: false,
  SECURITY_PASSWORD_LOWER_CASE: false,
  SECURITY_PASSWORD_NUMBER: false,
  SECURITY_PASSWORD_SPECIAL_CHAR: false,
  OLD_PASSWORD_HISTORY_LIMIT_COUNT: 5,
  SECURITY_COMMAND_EXECUTION: true,
  SECURITY_LUNA_REMEMBER_AUTH: true,
  SECURITY_WATERMARK_ENABLED: true,
  SECURITY_SESSION_SHARE: true,
  SECURITY_SERVICE_ACCOUNT_REGISTRATION: true,
  /** Minutes without traffic until a session is ended. */
  SECURITY_MAX_IDLE_TIME: 30,
  /** Hours that one session may last. */
  SECURITY_MAX_SESSION_TIME: 24,
  /** Live sessions of one person; 0 is no limit. */
  SECURITY_MAX_SESSIONS_PER_USER: 0,
  /** Live sessions to one asset; 0 is no limit. */
  SECURITY_MAX_SESSIONS_PER_ASSET: 0,

  /** Seconds of a browser session without a call. */
  SESSION_COOKIE_AGE: 86_400,
  /** Seconds of a bearer token. */
  TOKEN_EXPIRATION: 86_400,

  TERMINAL_PASSWORD_AUTH: true,
  TERMINAL_PUBLIC_KEY_AUTH: true,
  /** Seconds. */
  TERMINAL_HEARTBEAT_INTERVAL: 20,
  /** Days that sessions, commands and recordings are kept. */
  TERMINAL_SESSION_KEEP_DURATION: 200,
  /** Minutes that a session waits for its person to come back after the line broke: 0 to 1440, 0 ends it at once. */
  TERMINAL_SESSION_REATTACH_TIME: 5,
  /** What becomes of a session whose recording can't be written any more: `stop`, or `alarm`, which lets it go on and says so. */
  TERMINAL_RECORDING_FAILURE: 'stop',
  TERMINAL_ASSET_LIST_SORT_BY: 'hostname',
  TERMINAL_ASSET_LIST_PAGE_SIZE: 'auto',
  TERMINAL_TELNET_REGEX: '',
  /** Directly granted assets stand in their own folder instead of their nodes. */
  PERM_SINGLE_ASSET_TO_UNGROUP_NODE: false,
}

export type Settings = typeof SETTING_DEFAULTS
export type SettingName = keyof Settings
