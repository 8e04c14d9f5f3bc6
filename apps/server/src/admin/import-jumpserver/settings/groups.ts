import type { SettingName } from '@sallyport/contract/settings/index.ts'

/**
 * Settings of the same name and meaning that lead nowhere and have no secret. How strict they are is
 * theirs: the report says each that changes.
 */
export const HARMLESS: ReadonlySet<string> = new Set<SettingName>([
  ...([
    'SECURITY_PASSWORD_MIN_LENGTH',
    'SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH',
    'SECURITY_PASSWORD_UPPER_CASE',
    'SECURITY_PASSWORD_LOWER_CASE',
    'SECURITY_PASSWORD_NUMBER',
    'SECURITY_PASSWORD_SPECIAL_CHAR',
    'SECURITY_PASSWORD_EXPIRATION_TIME',
    'OLD_PASSWORD_HISTORY_LIMIT_COUNT',
  ] as const),
  ...([
    'SECURITY_MFA_AUTH',
    'SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY',
    'SECURITY_MFA_IN_LOGIN_PAGE',
    'SECURITY_MFA_VERIFY_TTL',
    'SECURITY_LOGIN_LIMIT_COUNT',
    'SECURITY_LOGIN_LIMIT_TIME',
    'SECURITY_LOGIN_IP_LIMIT_COUNT',
    'SECURITY_LOGIN_IP_LIMIT_TIME',
    'SECURITY_LOGIN_CAPTCHA_ENABLED',
    'SECURITY_LOGIN_CHALLENGE_ENABLED',
    'SECURITY_CHECK_DIFFERENT_CITY_LOGIN',
    'USER_LOGIN_SINGLE_MACHINE_ENABLED',
    'ONLY_ALLOW_EXIST_USER_AUTH',
    'ONLY_ALLOW_AUTH_FROM_SOURCE',
  ] as const),
  ...([
    'SECURITY_MAX_IDLE_TIME',
    'SECURITY_MAX_SESSION_TIME',
    'SECURITY_COMMAND_EXECUTION',
    'SECURITY_INSECURE_COMMAND',
    'SECURITY_SESSION_SHARE',
    'SECURITY_WATERMARK_ENABLED',
    'TERMINAL_PASSWORD_AUTH',
    'TERMINAL_PUBLIC_KEY_AUTH',
    'TERMINAL_ASSET_LIST_PAGE_SIZE',
  ] as const),
  ...([
    'LOGIN_LOG_KEEP_DAYS',
    'OPERATE_LOG_KEEP_DAYS',
    'FTP_LOG_KEEP_DAYS',
    'TASK_LOG_KEEP_DAYS',
    'CLOUD_SYNC_TASK_EXECUTION_KEEP_DAYS',
    'TERMINAL_SESSION_KEEP_DURATION',
  ] as const),
  ...(['EMAIL_SUBJECT_PREFIX', 'EMAIL_SUFFIX', 'GLOBAL_ORG_DISPLAY_NAME'] as const),
])

/**
 * Settings with addresses or secrets, each with those that it must come together with: a secret goes to
 * the addresses beside it. A group comes whole, where nothing of it is set here.
 */
export const WITH_ADDRESSES: readonly (readonly SettingName[])[] = [
  [
    ...(['EMAIL_HOST', 'EMAIL_PORT', 'EMAIL_HOST_USER', 'EMAIL_HOST_PASSWORD', 'EMAIL_FROM'] as const),
    ...(['EMAIL_RECIPIENT', 'EMAIL_USE_SSL', 'EMAIL_USE_TLS'] as const),
  ],
  ['WECOM_CORPID', 'WECOM_AGENTID', 'WECOM_SECRET'],
  ['DINGTALK_AGENTID', 'DINGTALK_APPKEY', 'DINGTALK_APPSECRET'],
  ['FEISHU_APP_ID', 'FEISHU_APP_SECRET'],
  ['USER_GUIDE_URL', 'FORGOT_PASSWORD_URL', 'HELP_DOCUMENT_URL', 'HELP_SUPPORT_URL'],
]

/** Why the others stay behind, by how their names begin. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^SITE_URL$/, 'The address of this site is set here'],
  [/^SECURITY_LOGIN_IP_/, 'Addresses that may or may not sign in: they could lock you out'],
  [/^AUTH_LDAP/, 'A directory: make it here, and try it before people need it'],
  [
    /^(?:AUTH_|CAS_|RADIUS_|SAML2_|BASE_|OPENID_)/,
    'A way to sign in: set it up here, and try it before people need it',
  ],
  [/^(?:SMS_|ALIBABA_|TENCENT_)/, 'Text messages: set them up here'],
]

export const whyBehind = (name: string): string =>
  REASONS.find(([pattern]) => pattern.test(name))?.[1] ?? 'Has no counterpart here, or is not brought by itself'
