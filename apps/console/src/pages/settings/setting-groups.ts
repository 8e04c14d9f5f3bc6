/** Which settings stand on which tab and in which dialog (contract/settings.yaml). The server's metadata says what each may hold. */
import type { SettingCategory } from '@sallyport/contract/settings/index.ts'
import { licenceValid } from '../../app/session.ts'
import type { FormGroup, FormValues } from '../../generic/define-pages.ts'
import { msg, t } from '../../lib/i18n.ts'
import { DialogField } from './DialogField.tsx'
import { SpMetadataLink } from './SpMetadataLink.tsx'

export interface SettingForm {
  category: SettingCategory
  groups: readonly FormGroup[]
  /** PATCH when absent. */
  method?: 'PUT' | 'PATCH'
  /** Pages hold public settings from their start: they are loaded anew when some may have changed. */
  reload?: boolean
  toBody?: (values: FormValues) => FormValues
  /** Call that tries what the form shows; a button beside Submit makes it. */
  testing?: string
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const emailRule = (value: unknown) => (EMAIL.test(String(value).trim()) || !value ? undefined : t('Please enter your email address'))
const onlyLicensed = { visibleWhen: licenceValid }
const dialog = (name: SettingDialog, label: string) => ({ name, label, widget: DialogField, local: { type: 'string' } })

/** Null means nothing was chosen: such settings stay as they are. */
const withoutNull = (values: FormValues): FormValues => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

export const BASIC: SettingForm = {
  category: 'basic',
  reload: true,
  groups: [
    {
      title: msg('Basic info'),
      fields: ['SITE_URL', { name: 'USER_GUIDE_URL' }, { name: 'GLOBAL_ORG_DISPLAY_NAME', ...onlyLicensed }],
    },
    {
      title: msg('Feature'),
      fields: [{ name: 'TICKETS_ENABLED', ...onlyLicensed }, dialog('announcement', msg('Announcement'))],
    },
  ],
}

export const EMAIL_FORM: SettingForm = {
  category: 'email',
  toBody: withoutNull,
  groups: [
    { title: msg('SMTP server'), fields: [dialog('smtp', msg('SMTP'))] },
    {
      title: msg('Mail send'),
      fields: [
        { name: 'EMAIL_FROM', check: emailRule },
        { name: 'EMAIL_SUBJECT_PREFIX', required: false },
      ],
    },
    { title: msg('Email content setting'), fields: [dialog('user_created', msg('Create User setting'))] },
    { title: msg('Other'), fields: [{ name: 'EMAIL_RECIPIENT', check: emailRule }] },
  ],
}

export const AUTH: SettingForm = {
  category: 'auth',
  groups: [
    {
      title: msg('Auth methods'),
      fields: [
        dialog('cas', msg('CAS Auth')),
        dialog('oidc', msg('OpenID Auth')),
        dialog('wecom', msg('WeCom Auth')),
        dialog('dingtalk', msg('DingTalk Auth')),
        dialog('feishu', msg('FeiShu Auth')),
        dialog('radius', msg('RADIUS Auth')),
        dialog('sso', msg('SSO Auth')),
        dialog('saml2', msg('SAML2 Auth')),
      ],
    },
    {
      title: msg('Other'),
      fields: [
        {
          name: 'FORGOT_PASSWORD_URL',
          placeholder: 'https://',
        },
        'LOGIN_REDIRECT_MSG_ENABLED',
        'AUTH_PASSKEY',
      ],
    },
  ],
  toBody: ({ FORGOT_PASSWORD_URL: address, ...others }) => ({ ...others, FORGOT_PASSWORD_URL: withScheme(String(address ?? '')) }),
}

/** People leave the scheme out. */
const withScheme = (address: string) => (address === '' || address.startsWith('http') ? address : `http://${address}`)

const isBackend = (name: string) => (values: FormValues) => values.SMS_BACKEND === name

export const SMS: SettingForm = {
  category: 'sms',
  // The page for a forgotten password offers what is switched on here.
  reload: true,
  groups: [
    { title: msg('Basic'), fields: ['SMS_ENABLED', 'SMS_BACKEND'] },
    {
      title: msg('SMS provider'),
      fields: [
        { ...dialog('alibaba', msg('Alibaba cloud')), visibleWhen: isBackend('alibaba') },
        { ...dialog('tencent', msg('Tencent cloud')), visibleWhen: isBackend('tencent') },
      ],
    },
  ],
}

export const TERMINAL: SettingForm = {
  category: 'terminal',
  method: 'PUT',
  toBody: withoutNull,
  groups: [
    {
      title: msg('SSH gateway'),
      fields: [
        'TERMINAL_PASSWORD_AUTH',
        'TERMINAL_PUBLIC_KEY_AUTH',
        'TERMINAL_ASSET_LIST_SORT_BY',
        'TERMINAL_ASSET_LIST_PAGE_SIZE',
        'TERMINAL_TELNET_REGEX',
      ],
    },
    {
      title: msg('Sessions@@settings'),
      fields: ['TERMINAL_SESSION_REATTACH_TIME', 'TERMINAL_RECORDING_FAILURE', 'TERMINAL_HEARTBEAT_INTERVAL'],
    },
    {
      title: msg('XRDP'),
      // Sent without a licence too: a PUT must have it.
      fields: [
        { name: 'XRDP_ENABLED', ...onlyLicensed, keepHidden: true },
        { name: 'TERMINAL_RDP_ADDR', ...onlyLicensed },
      ],
    },
  ],
}

/** The sign-in page has room for one of these: choosing one leaves the others. */
const ONE_OF = ['SECURITY_LOGIN_CHALLENGE_ENABLED', 'SECURITY_MFA_IN_LOGIN_PAGE', 'SECURITY_LOGIN_CAPTCHA_ENABLED']
const oneOf = (name: string) => ({
  name,
  onChange: (value: unknown) =>
    value === true ? Object.fromEntries(ONE_OF.filter((other) => other !== name).map((other) => [other, false])) : undefined,
})

export const SECURITY: SettingForm = {
  category: 'security',
  reload: true,
  groups: [
    {
      title: msg('Basic'),
      fields: [
        'SECURITY_COMMAND_EXECUTION',
        'SECURITY_SERVICE_ACCOUNT_REGISTRATION',
        'SECURITY_MAX_IDLE_TIME',
        'SECURITY_MAX_SESSION_TIME',
        'SECURITY_MAX_SESSIONS_PER_USER',
        'SECURITY_MAX_SESSIONS_PER_ASSET',
        'SECURITY_WATERMARK_ENABLED',
        'SECURITY_SESSION_SHARE',
      ],
    },
    {
      title: msg('Auth'),
      fields: [
        'SECURITY_MFA_AUTH',
        {
          ...oneOf('SECURITY_MFA_IN_LOGIN_PAGE'),
          visibleWhen: (values) => Number(values.SECURITY_MFA_AUTH) === 1 && licenceValid(),
          keepHidden: true,
        },
        'SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY',
        oneOf('SECURITY_LOGIN_CHALLENGE_ENABLED'),
        oneOf('SECURITY_LOGIN_CAPTCHA_ENABLED'),
        'SECURITY_PASSWORD_EXPIRATION_TIME',
        'SECURITY_MFA_VERIFY_TTL',
        dialog('auth_limit', msg('Auth limit')),
        dialog('password_rule', msg('Password check rule')),
      ],
    },
  ],
}

export const CLEAN: SettingForm = {
  category: 'clean',
  groups: [
    {
      title: msg('Logging'),
      fields: [
        'LOGIN_LOG_KEEP_DAYS',
        'OPERATE_LOG_KEEP_DAYS',
        'FTP_LOG_KEEP_DAYS',
        'TERMINAL_SESSION_KEEP_DURATION',
        'TASK_LOG_KEEP_DAYS',
        'SITE_MESSAGE_KEEP_DAYS',
      ],
    },
  ],
}

export const OTHER: SettingForm = {
  category: 'other',
  method: 'PUT',
  groups: [
    { title: msg('Basic'), fields: ['EMAIL_SUFFIX', 'IMPORT_FILE_LIMIT_MB'] },
    { title: msg('OTP(MFA)'), fields: ['OTP_ISSUER_NAME', 'OTP_VALID_WINDOW'] },
    { title: msg('Permission@@settings'), fields: ['PERM_SINGLE_ASSET_TO_UNGROUP_NODE'] },
    {
      title: msg('Navigation Link'),
      // Kept when hidden: a PUT without the shell would be refused.
      fields: [
        { name: 'WINDOWS_SSH_DEFAULT_SHELL', visibleWhen: () => false, keepHidden: true },
        { name: 'HELP_DOCUMENT_URL', ...onlyLicensed },
        { name: 'HELP_SUPPORT_URL', ...onlyLicensed },
      ],
    },
  ],
}

const isKeycloak = (values: FormValues) => values.AUTH_OPENID_KEYCLOAK === true
const isOther = (values: FormValues) => !isKeycloak(values)

/** Where most providers have them; each can be changed afterwards. */
const endpointsBelow = (value: unknown): FormValues => {
  const below = (name: string) => `${String(value ?? '').replace(/\/+$/, '')}/${name}`
  return {
    AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT: below('authorize'),
    AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT: below('token'),
    AUTH_OPENID_PROVIDER_JWKS_ENDPOINT: below('jwks'),
    AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT: below('userinfo'),
    AUTH_OPENID_PROVIDER_END_SESSION_ENDPOINT: below('logout'),
  }
}

/** Has lines. */
const PEM = 'AUTH_OPENID_PROVIDER_SIGNATURE_KEY'

/** Keycloak tells these itself, or has one way. */
const OTHER_PROVIDER = [
  'AUTH_OPENID_PROVIDER_AUTHORIZATION_ENDPOINT',
  'AUTH_OPENID_PROVIDER_TOKEN_ENDPOINT',
  'AUTH_OPENID_PROVIDER_JWKS_ENDPOINT',
  'AUTH_OPENID_PROVIDER_USERINFO_ENDPOINT',
  'AUTH_OPENID_PROVIDER_END_SESSION_ENDPOINT',
  'AUTH_OPENID_PROVIDER_SIGNATURE_ALG',
  PEM,
  'AUTH_OPENID_SCOPES',
  'AUTH_OPENID_ID_TOKEN_MAX_AGE',
  'AUTH_OPENID_ID_TOKEN_INCLUDE_CLAIMS',
  'AUTH_OPENID_USE_STATE',
  'AUTH_OPENID_USE_NONCE',
  'AUTH_OPENID_ALWAYS_UPDATE_USER',
]

export type SettingDialog =
  | 'cas'
  | 'saml2'
  | 'oidc'
  | 'wecom'
  | 'dingtalk'
  | 'feishu'
  | 'radius'
  | 'sso'
  | 'alibaba'
  | 'tencent'
  | 'announcement'
  | 'smtp'
  | 'user_created'
  | 'auth_limit'
  | 'password_rule'

export const DIALOGS: Readonly<Record<SettingDialog, SettingForm & { title: string }>> = {
  announcement: {
    title: msg('Announcement'),
    category: 'basic',
    reload: true,
    groups: [{ title: '', fields: ['ANNOUNCEMENT_ENABLED', 'ANNOUNCEMENT'] }],
  },
  cas: {
    title: msg('CAS Auth'),
    category: 'cas',
    reload: true,
    toBody: withoutNull,
    groups: [
      { title: msg('Basic'), fields: ['AUTH_CAS', 'CAS_SERVER_URL', 'CAS_ROOT_PROXIED_AS', 'CAS_VERSION'] },
      {
        title: msg('Other'),
        fields: [
          'CAS_LOGOUT_COMPLETELY',
          'CAS_USERNAME_ATTRIBUTE',
          'CAS_APPLY_ATTRIBUTES_TO_USER',
          { name: 'CAS_RENAME_ATTRIBUTES', widget: 'json' },
          'CAS_CREATE_USER',
        ],
      },
    ],
  },
  saml2: {
    title: msg('SAML2 Auth'),
    category: 'saml2',
    reload: true,
    toBody: withoutNull,
    groups: [
      { title: msg('Basic'), fields: ['AUTH_SAML2'] },
      {
        title: msg('Certificate'),
        fields: [
          { name: 'SAML2_SP_KEY_CONTENT', widget: 'key-file' },
          { name: 'SAML2_SP_CERT_CONTENT', widget: 'key-file' },
          { name: 'sp_metadata', label: msg('SP metadata'), widget: SpMetadataLink, local: { type: 'string' } },
        ],
      },
      {
        title: msg('Params'),
        fields: [
          'SAML2_IDP_METADATA_URL',
          { name: 'SAML2_IDP_METADATA_XML', widget: 'key-file' },
          { name: 'SAML2_SP_ADVANCED_SETTINGS', widget: 'json' },
        ],
      },
      {
        title: msg('Other'),
        fields: ['SAML2_LOGOUT_COMPLETELY', 'AUTH_SAML2_ALWAYS_UPDATE_USER', { name: 'SAML2_RENAME_ATTRIBUTES', widget: 'json' }],
      },
    ],
  },
  oidc: {
    title: msg('OpenID Auth'),
    category: 'oidc',
    reload: true,
    toBody: withoutNull,
    groups: [
      { title: msg('Basic'), fields: ['AUTH_OPENID', 'BASE_SITE_URL', 'AUTH_OPENID_CLIENT_ID', 'AUTH_OPENID_CLIENT_SECRET'] },
      {
        title: msg('Provider'),
        fields: [
          'AUTH_OPENID_KEYCLOAK',
          ...['AUTH_OPENID_SERVER_URL', 'AUTH_OPENID_REALM_NAME'].map((name) => ({ name, visibleWhen: isKeycloak })),
          { name: 'AUTH_OPENID_PROVIDER_ENDPOINT', visibleWhen: isOther, onChange: endpointsBelow },
          ...OTHER_PROVIDER.map((name) => ({ name, visibleWhen: isOther, ...(name === PEM ? { widget: 'textarea' as const } : {}) })),
          'AUTH_OPENID_IGNORE_SSL_VERIFICATION',
          'AUTH_OPENID_SHARE_SESSION',
        ],
      },
    ],
  },
  wecom: {
    title: msg('WeCom Auth'),
    category: 'wecom',
    reload: true,
    testing: '/api/v1/settings/wecom/testing/',
    groups: [{ title: msg('Basic info'), fields: ['AUTH_WECOM', 'WECOM_CORPID', 'WECOM_AGENTID', 'WECOM_SECRET'] }],
  },
  dingtalk: {
    title: msg('DingTalk Auth'),
    category: 'dingtalk',
    method: 'PUT',
    reload: true,
    testing: '/api/v1/settings/dingtalk/testing/',
    groups: [{ title: msg('Basic info'), fields: ['AUTH_DINGTALK', 'DINGTALK_AGENTID', 'DINGTALK_APPKEY', 'DINGTALK_APPSECRET'] }],
  },
  feishu: {
    title: msg('FeiShu Auth'),
    category: 'feishu',
    method: 'PUT',
    reload: true,
    testing: '/api/v1/settings/feishu/testing/',
    groups: [{ title: msg('Basic info'), fields: ['AUTH_FEISHU', 'FEISHU_APP_ID', 'FEISHU_APP_SECRET'] }],
  },
  radius: {
    title: msg('RADIUS Auth'),
    category: 'radius',
    groups: [
      { title: msg('Basic'), fields: ['AUTH_RADIUS', 'RADIUS_SERVER', 'RADIUS_PORT', 'RADIUS_SECRET'] },
      { title: msg('Other'), fields: ['OTP_IN_RADIUS'] },
    ],
  },
  alibaba: {
    title: msg('Alibaba cloud'),
    category: 'alibaba',
    testing: '/api/v1/settings/alibaba/testing/',
    groups: [
      { title: msg('Basic info'), fields: ['ALIBABA_ACCESS_KEY_ID', 'ALIBABA_ACCESS_KEY_SECRET'] },
      { title: msg('Verification code template'), fields: ['ALIBABA_VERIFY_SIGN_NAME', 'ALIBABA_VERIFY_TEMPLATE_CODE'] },
      { title: msg('Other'), fields: ['SMS_TEST_PHONE'] },
    ],
  },
  tencent: {
    title: msg('Tencent cloud'),
    category: 'tencent',
    method: 'PUT',
    testing: '/api/v1/settings/tencent/testing/',
    groups: [
      { title: msg('Basic info'), fields: ['TENCENT_SECRET_ID', 'TENCENT_SECRET_KEY', 'TENCENT_SDKAPPID'] },
      { title: msg('Verification code template'), fields: ['TENCENT_VERIFY_SIGN_NAME', 'TENCENT_VERIFY_TEMPLATE_CODE'] },
      { title: msg('Other'), fields: ['SMS_TEST_PHONE'] },
    ],
  },
  smtp: {
    title: msg('SMTP'),
    category: 'email',
    toBody: withoutNull,
    groups: [
      { title: msg('Basic info'), fields: ['EMAIL_HOST', 'EMAIL_PORT', 'EMAIL_HOST_USER', 'EMAIL_HOST_PASSWORD'] },
      { title: msg('Security'), fields: ['EMAIL_USE_SSL', 'EMAIL_USE_TLS'] },
    ],
  },
  user_created: {
    title: msg('Create User setting'),
    category: 'email_content',
    groups: [
      {
        title: '',
        fields: [
          'EMAIL_CUSTOM_USER_CREATED_SUBJECT',
          'EMAIL_CUSTOM_USER_CREATED_HONORIFIC',
          { name: 'EMAIL_CUSTOM_USER_CREATED_BODY', widget: 'textarea' },
          { name: 'EMAIL_CUSTOM_USER_CREATED_SIGNATURE' },
        ],
      },
    ],
  },
  sso: {
    title: msg('SSO Auth'),
    category: 'sso',
    groups: [{ title: msg('Basic'), fields: ['AUTH_SSO', 'AUTH_SSO_AUTHKEY_TTL'] }],
  },
  auth_limit: {
    title: msg('Auth limit'),
    category: 'security',
    reload: true,
    groups: [
      { title: msg('User login limit'), fields: ['SECURITY_LOGIN_LIMIT_COUNT', 'SECURITY_LOGIN_LIMIT_TIME'] },
      {
        title: msg('IP login limit'),
        fields: [
          'SECURITY_LOGIN_IP_LIMIT_COUNT',
          'SECURITY_LOGIN_IP_LIMIT_TIME',
          'SECURITY_LOGIN_IP_WHITE_LIST',
          'SECURITY_LOGIN_IP_BLACK_LIST',
        ],
      },
      { title: msg('Other'), fields: ['USER_LOGIN_SINGLE_MACHINE_ENABLED', 'ONLY_ALLOW_EXIST_USER_AUTH', 'ONLY_ALLOW_AUTH_FROM_SOURCE'] },
    ],
  },
  password_rule: {
    title: msg('Password check rule'),
    category: 'security',
    reload: true,
    groups: [
      {
        title: '',
        fields: [
          'SECURITY_PASSWORD_MIN_LENGTH',
          'SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH',
          'SECURITY_PASSWORD_UPPER_CASE',
          'SECURITY_PASSWORD_LOWER_CASE',
          'SECURITY_PASSWORD_NUMBER',
          'SECURITY_PASSWORD_SPECIAL_CHAR',
          'OLD_PASSWORD_HISTORY_LIMIT_COUNT',
        ],
      },
    ],
  },
}
