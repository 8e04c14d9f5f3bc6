/** Which settings are in which dialog (docs/rules/settings.md#pages). */
import type { FormValues } from '../../generic/view/form-view.ts'
import { msg } from '../../lib/i18n.ts'
import { SpMetadataLink } from './SpMetadataLink.tsx'
import { type SettingForm, withoutNull } from './setting-form.ts'

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
    title: msg('CAS'),
    category: 'cas',
    reload: true,
    toBody: withoutNull,
    groups: [
      { title: '', fields: ['AUTH_CAS', 'CAS_SERVER_URL', 'CAS_ROOT_PROXIED_AS', 'CAS_VERSION'] },
      {
        title: msg('Other'),
        fields: [
          'CAS_LOGOUT_COMPLETELY',
          'CAS_USERNAME_ATTRIBUTE',
          'CAS_APPLY_ATTRIBUTES_TO_USER',
          { name: 'CAS_RENAME_ATTRIBUTES', widget: 'json' },
          'CAS_GROUPS_ATTRIBUTE',
          'CAS_CREATE_USER',
        ],
      },
    ],
  },
  saml2: {
    title: msg('SAML2'),
    category: 'saml2',
    reload: true,
    toBody: withoutNull,
    groups: [
      { title: '', fields: ['AUTH_SAML2'] },
      {
        title: msg('Certificate'),
        fields: [
          { name: 'SAML2_SP_KEY_CONTENT', widget: 'key-file' },
          { name: 'SAML2_SP_CERT_CONTENT', widget: 'key-file' },
          { name: 'sp_metadata', label: msg('SP metadata'), widget: SpMetadataLink, local: { type: 'string' } },
        ],
      },
      {
        title: msg('Provider'),
        fields: [
          'SAML2_IDP_METADATA_URL',
          { name: 'SAML2_IDP_METADATA_XML', widget: 'key-file' },
          { name: 'SAML2_SP_ADVANCED_SETTINGS', widget: 'json' },
        ],
      },
      {
        title: msg('Other'),
        fields: [
          'SAML2_LOGOUT_COMPLETELY',
          'AUTH_SAML2_ALWAYS_UPDATE_USER',
          { name: 'SAML2_RENAME_ATTRIBUTES', widget: 'json' },
          'SAML2_GROUPS_ATTRIBUTE',
        ],
      },
    ],
  },
  oidc: {
    title: msg('OpenID'),
    category: 'oidc',
    reload: true,
    toBody: withoutNull,
    groups: [
      {
        title: '',
        fields: ['AUTH_OPENID', 'BASE_SITE_URL', 'AUTH_OPENID_CLIENT_ID', 'AUTH_OPENID_CLIENT_SECRET'],
      },
      {
        title: msg('Provider'),
        fields: [
          'AUTH_OPENID_KEYCLOAK',
          ...['AUTH_OPENID_SERVER_URL', 'AUTH_OPENID_REALM_NAME'].map((name) => ({ name, visibleWhen: isKeycloak })),
          { name: 'AUTH_OPENID_PROVIDER_ENDPOINT', visibleWhen: isOther, onChange: endpointsBelow },
          ...OTHER_PROVIDER.map((name) => ({
            name,
            visibleWhen: isOther,
            ...(name === PEM ? { widget: 'textarea' as const } : {}),
          })),
          'AUTH_OPENID_IGNORE_SSL_VERIFICATION',
          'AUTH_OPENID_SHARE_SESSION',
          'AUTH_OPENID_GROUPS_CLAIM',
        ],
      },
    ],
  },
  wecom: {
    title: msg('WeCom'),
    category: 'wecom',
    reload: true,
    testing: '/api/v1/settings/wecom/testing/',
    groups: [{ title: '', fields: ['AUTH_WECOM', 'WECOM_CORPID', 'WECOM_AGENTID', 'WECOM_SECRET'] }],
  },
  dingtalk: {
    title: msg('DingTalk'),
    category: 'dingtalk',
    method: 'PUT',
    reload: true,
    testing: '/api/v1/settings/dingtalk/testing/',
    groups: [
      {
        title: '',
        fields: ['AUTH_DINGTALK', 'DINGTALK_AGENTID', 'DINGTALK_APPKEY', 'DINGTALK_APPSECRET'],
      },
    ],
  },
  feishu: {
    title: msg('FeiShu'),
    category: 'feishu',
    method: 'PUT',
    reload: true,
    testing: '/api/v1/settings/feishu/testing/',
    groups: [{ title: '', fields: ['AUTH_FEISHU', 'FEISHU_APP_ID', 'FEISHU_APP_SECRET'] }],
  },
  radius: {
    title: msg('RADIUS'),
    category: 'radius',
    groups: [
      { title: '', fields: ['AUTH_RADIUS', 'RADIUS_SERVER', 'RADIUS_PORT', 'RADIUS_SECRET'] },
      { title: msg('Other'), fields: ['OTP_IN_RADIUS'] },
    ],
  },
  alibaba: {
    title: msg('Alibaba cloud'),
    category: 'alibaba',
    testing: '/api/v1/settings/alibaba/testing/',
    groups: [
      { title: '', fields: ['ALIBABA_ACCESS_KEY_ID', 'ALIBABA_ACCESS_KEY_SECRET'] },
      {
        title: msg('Verification code template'),
        fields: ['ALIBABA_VERIFY_SIGN_NAME', 'ALIBABA_VERIFY_TEMPLATE_CODE'],
      },
      { title: msg('Other'), fields: ['SMS_TEST_PHONE'] },
    ],
  },
  tencent: {
    title: msg('Tencent cloud'),
    category: 'tencent',
    method: 'PUT',
    testing: '/api/v1/settings/tencent/testing/',
    groups: [
      { title: '', fields: ['TENCENT_SECRET_ID', 'TENCENT_SECRET_KEY', 'TENCENT_SDKAPPID'] },
      {
        title: msg('Verification code template'),
        fields: ['TENCENT_VERIFY_SIGN_NAME', 'TENCENT_VERIFY_TEMPLATE_CODE'],
      },
      { title: msg('Other'), fields: ['SMS_TEST_PHONE'] },
    ],
  },
  smtp: {
    title: msg('SMTP'),
    category: 'email',
    toBody: withoutNull,
    groups: [
      { title: '', fields: ['EMAIL_HOST', 'EMAIL_PORT', 'EMAIL_HOST_USER', 'EMAIL_HOST_PASSWORD'] },
      { title: msg('Security'), fields: ['EMAIL_USE_SSL', 'EMAIL_USE_TLS'] },
    ],
  },
  user_created: {
    title: msg('Welcome mail'),
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
    title: msg('SSO link'),
    category: 'sso',
    groups: [{ title: '', fields: ['AUTH_SSO', 'AUTH_SSO_AUTHKEY_TTL'] }],
  },
  auth_limit: {
    title: msg('Sign-in limits'),
    category: 'security',
    reload: true,
    groups: [
      { title: msg('Limit of a name'), fields: ['SECURITY_LOGIN_LIMIT_COUNT', 'SECURITY_LOGIN_LIMIT_TIME'] },
      {
        title: msg('Limit of an address'),
        fields: [
          'SECURITY_LOGIN_IP_LIMIT_COUNT',
          'SECURITY_LOGIN_IP_LIMIT_TIME',
          'SECURITY_LOGIN_IP_WHITE_LIST',
          'SECURITY_LOGIN_IP_BLACK_LIST',
        ],
      },
      {
        title: msg('Other'),
        fields: ['USER_LOGIN_SINGLE_MACHINE_ENABLED', 'ONLY_ALLOW_EXIST_USER_AUTH', 'ONLY_ALLOW_AUTH_FROM_SOURCE'],
      },
    ],
  },
  password_rule: {
    title: msg('Password rules'),
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
