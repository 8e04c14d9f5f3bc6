/**
 * Which settings are on which tab (docs/rules/settings.md#pages). The server's metadata says what
 * each may hold.
 */

import { lazily } from '../../design/lazily.tsx'
import type { FormValues } from '../../generic/view/form-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { licenseValid } from '../../session/session.ts'
import { DialogField } from './DialogField.tsx'
import { MailTest } from './MailTest.tsx'
import type { SettingDialog } from './setting-dialogs.ts'
import { type SettingForm, withoutNull } from './setting-form.ts'

/** Checks read answers as a library does, which other pages do without. */
const ProxyCheck = lazily(() => import('./proxy-check/ProxyCheck.tsx').then((m) => m.ProxyCheck))

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const emailRule = (value: unknown) =>
  EMAIL.test(String(value).trim()) || !value ? undefined : t('Please enter your email address')
const onlyLicensed = { visibleWhen: licenseValid }
const dialog = (name: SettingDialog, label: string) => ({
  name,
  label,
  widget: DialogField,
  beside: true,
  local: { type: 'string' },
})

export const BASIC: SettingForm = {
  category: 'basic',
  reload: true,
  groups: [
    {
      title: msg('Site'),
      fields: [
        'SITE_URL',
        { name: 'proxy_check', label: msg('Proxy'), widget: ProxyCheck, local: { type: 'string' } },
        { name: 'USER_GUIDE_URL' },
        { name: 'TERMS_URL' },
        { name: 'GLOBAL_ORG_DISPLAY_NAME', ...onlyLicensed },
      ],
    },
    {
      title: msg('Features'),
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
      title: msg('Sending mail'),
      fields: [
        { name: 'EMAIL_FROM', check: emailRule },
        { name: 'EMAIL_SUBJECT_PREFIX', required: false },
      ],
    },
    { title: msg('Mail texts'), fields: [dialog('user_created', msg('Welcome mail'))] },
    {
      title: msg('Test mail'),
      lead: msg('Sent with the settings that are saved.'),
      fields: [
        { name: 'EMAIL_RECIPIENT', check: emailRule },
        { name: 'mail_test', label: '', widget: MailTest, local: { type: 'string' } },
      ],
    },
  ],
}

export const SLACK: SettingForm = {
  category: 'slack',
  reload: true,
  testing: '/api/v1/settings/slack/testing/',
  groups: [
    { title: msg('People'), fields: ['SLACK_ENABLED', 'SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET'] },
    { title: msg('Channel@@chat'), fields: ['SLACK_CHANNEL_ENABLED', 'SLACK_WEBHOOK_URL'] },
  ],
}

export const TEAMS: SettingForm = {
  category: 'teams',
  reload: true,
  testing: '/api/v1/settings/teams/testing/',
  groups: [
    { title: msg('People'), fields: ['TEAMS_ENABLED', 'TEAMS_PERSON_WEBHOOK_URL'] },
    { title: msg('Channel@@chat'), fields: ['TEAMS_CHANNEL_ENABLED', 'TEAMS_WEBHOOK_URL'] },
  ],
}

export const AUTH: SettingForm = {
  category: 'auth',
  groups: [
    {
      title: msg('Identity providers'),
      fields: [
        dialog('cas', msg('CAS')),
        dialog('oidc', msg('OpenID')),
        dialog('wecom', msg('WeCom')),
        dialog('dingtalk', msg('DingTalk')),
        dialog('feishu', msg('FeiShu')),
        dialog('radius', msg('RADIUS')),
        dialog('sso', msg('SSO link')),
        dialog('saml2', msg('SAML2')),
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
  toBody: ({ FORGOT_PASSWORD_URL: address, ...others }) => ({
    ...others,
    FORGOT_PASSWORD_URL: withScheme(String(address ?? '')),
  }),
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
        'TERMINAL_USER_AUTHORITIES',
        'TERMINAL_REVOKED_CERTIFICATES',
        'TERMINAL_BROWSER_AUTH',
        'TERMINAL_BROWSER_AUTH_HOLD',
        'TERMINAL_ASSET_LIST_SORT_BY',
        'TERMINAL_ASSET_LIST_PAGE_SIZE',
        'TERMINAL_TELNET_REGEX',
      ],
    },
    {
      title: msg('Sessions@@settings'),
      fields: [
        'TERMINAL_SESSION_REATTACH_TIME',
        'TERMINAL_RECORDING_FAILURE',
        'TERMINAL_RECORD_CLIPBOARD',
        'TERMINAL_KEPT_ROWS_SIZE',
        'TERMINAL_KEPT_ROWS_TOTAL',
        'TERMINAL_HEARTBEAT_INTERVAL',
      ],
    },
    {
      title: msg('XRDP'),
      // Sent without a license too: a PUT must have it.
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
    value === true
      ? Object.fromEntries(ONE_OF.filter((other) => other !== name).map((other) => [other, false]))
      : undefined,
})

const hasAgents = (values: Record<string, unknown>) => values.SECURITY_AGENTS !== 'off'

export const SECURITY: SettingForm = {
  category: 'security',
  reload: true,
  groups: [
    {
      title: msg('Sessions@@settings'),
      fields: [
        'SECURITY_MAX_IDLE_TIME',
        'SECURITY_MAX_SESSION_TIME',
        'SECURITY_MAX_SESSIONS_PER_USER',
        'SECURITY_MAX_SESSIONS_PER_ASSET',
        'SECURITY_SESSION_SHARE',
        'SECURITY_SESSION_SHARE_OUTSIDE',
        'SECURITY_WATERMARK_ENABLED',
        {
          name: 'SECURITY_WATERMARK_STRENGTH',
          unit: '%',
          visibleWhen: (values) => values.SECURITY_WATERMARK_ENABLED !== false,
          keepHidden: true,
        },
        'SECURITY_COMMAND_EXECUTION',
        'SECURITY_AGENTS',
        ...(['SECURITY_AGENT_CALLS', 'SECURITY_AGENT_ROWS', 'SECURITY_AGENT_MINUTES'] as const).map((name) => ({
          name,
          visibleWhen: hasAgents,
          keepHidden: true,
        })),
        'SECURITY_MANY_PEOPLE_PER_ASSET',
        'SECURITY_SERVICE_ACCOUNT_REGISTRATION',
        'CHANGE_AUTH_PLAN_SECURE_MODE_ENABLED',
      ],
    },
    {
      title: msg('Signing in@@settings'),
      fields: [
        'SECURITY_MFA_AUTH',
        {
          ...oneOf('SECURITY_MFA_IN_LOGIN_PAGE'),
          visibleWhen: (values) => Number(values.SECURITY_MFA_AUTH) === 1 && licenseValid(),
          keepHidden: true,
        },
        'SECURITY_MFA_AUTH_ENABLED_FOR_THIRD_PARTY',
        oneOf('SECURITY_LOGIN_CHALLENGE_ENABLED'),
        oneOf('SECURITY_LOGIN_CAPTCHA_ENABLED'),
        'SECURITY_PASSWORD_EXPIRATION_TIME',
        'SECURITY_MFA_VERIFY_TTL',
        'SECURITY_SIGNED_REQUEST_AGE',
        dialog('auth_limit', msg('Sign-in limits')),
        dialog('password_rule', msg('Password rules')),
      ],
    },
    {
      title: msg('Alert about dangerous commands'),
      fields: [
        'SECURITY_INSECURE_COMMAND',
        {
          name: 'SECURITY_INSECURE_COMMAND_EMAIL_RECEIVER',
          widget: 'link',
          href: '/ui/settings?activeTab=SysMessageSub',
          placeholder: msg('Choose who is told'),
        },
      ],
    },
  ],
}

export const CLEAN: SettingForm = {
  category: 'clean',
  groups: [
    {
      title: msg('Kept for'),
      fields: [
        'LOGIN_LOG_KEEP_DAYS',
        'OPERATE_LOG_KEEP_DAYS',
        'FTP_LOG_KEEP_DAYS',
        'AUDIT_UNDO_DAYS',
        'AUDIT_UNDO_MEGABYTES',
        'TERMINAL_SESSION_KEEP_DURATION',
        'TASK_LOG_KEEP_DAYS',
        'SITE_MESSAGE_KEEP_DAYS',
      ],
    },
  ],
}

export const MONITOR: SettingForm = {
  category: 'monitor',
  groups: [
    { title: msg('Alarms'), fields: ['MONITOR_ALARM_MINUTES'] },
    {
      title: msg('Each node'),
      fields: [
        'MONITOR_CPU_PERCENT',
        'MONITOR_MEMORY_PERCENT',
        'MONITOR_DISK_PERCENT',
        'MONITOR_SESSIONS',
        'MONITOR_CAPACITY_PERCENT',
        'MONITOR_LOOP_MS',
        'MONITOR_DATABASE_MS',
      ],
    },
    {
      title: msg('All nodes together'),
      fields: ['MONITOR_JOBS_MINUTES', 'MONITOR_JOBS_FAILED', 'MONITOR_UPLOAD_MINUTES', 'MONITOR_DATABASE_GB'],
    },
  ],
}

export const OTHER: SettingForm = {
  category: 'other',
  method: 'PUT',
  groups: [
    { title: msg('Basic'), fields: ['EMAIL_SUFFIX', 'IMPORT_FILE_LIMIT_MB'] },
    { title: msg('One-time passwords (MFA)'), fields: ['OTP_ISSUER_NAME', 'OTP_VALID_WINDOW'] },
    { title: msg('Permission@@settings'), fields: ['PERM_SINGLE_ASSET_TO_UNGROUP_NODE'] },
    {
      title: msg('Help links'),
      fields: [
        'WINDOWS_SSH_DEFAULT_SHELL',
        { name: 'HELP_DOCUMENT_URL', ...onlyLicensed },
        { name: 'HELP_SUPPORT_URL', ...onlyLicensed },
        'HELP_ENTERPRISE_URL',
      ],
    },
  ],
}
