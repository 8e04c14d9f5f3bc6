import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { builtInLogos } from './built-in-pictures.ts'
import { importFileLimit } from './import-file-limit.ts'
import type { SettingsStore } from './store.ts'

const PASSWORD_RULES = [
  'SECURITY_PASSWORD_MIN_LENGTH',
  'SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH',
  'SECURITY_PASSWORD_UPPER_CASE',
  'SECURITY_PASSWORD_LOWER_CASE',
  'SECURITY_PASSWORD_NUMBER',
  'SECURITY_PASSWORD_SPECIAL_CHAR',
] as const

/** Stored settings that anybody may read (docs/rules/settings.md#public_setting). */
const PUBLIC = [
  'WINDOWS_SKIP_ALL_MANUAL_PASSWORD',
  'SECURITY_MAX_IDLE_TIME',
  'SECURITY_VIEW_AUTH_NEED_MFA',
  'SECURITY_MFA_VERIFY_TTL',
  'OLD_PASSWORD_HISTORY_LIMIT_COUNT',
  'SECURITY_COMMAND_EXECUTION',
  'SECURITY_PASSWORD_EXPIRATION_TIME',
  'SECURITY_LUNA_REMEMBER_AUTH',
  'TICKETS_ENABLED',
  'SECURITY_WATERMARK_ENABLED',
  'SECURITY_WATERMARK_STRENGTH',
  'SECURITY_SESSION_SHARE',
  'SECURITY_SESSION_SHARE_OUTSIDE',
  'XRDP_ENABLED',
  'AUTH_WECOM',
  'AUTH_DINGTALK',
  'AUTH_FEISHU',
  'SLACK_ENABLED',
  'TEAMS_ENABLED',
  'ANNOUNCEMENT_ENABLED',
  'ANNOUNCEMENT',
  'HELP_DOCUMENT_URL',
  'HELP_SUPPORT_URL',
  'HELP_ENTERPRISE_URL',
  'TERMS_URL',
] as const

type Extension = () => Record<string, unknown> | Promise<Record<string, unknown>>

const extensions = new WeakMap<Kernel, Extension[]>()

/** Adds what another domain tells every page; `values` is called for each answer. */
export function extendPublicSettings(kernel: Kernel, values: Extension): void {
  extensions.set(kernel, [...(extensions.get(kernel) ?? []), values])
}

/**
 * GET /api/v1/settings/public/: the first call of every page; needs no session (A3.03 B7.05).
 */
export function registerPublicSettings(kernel: Kernel, settings: SettingsStore): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/settings/public/',
    config: {
      access: ['anonymous'],
      summary: 'Settings that every page needs',
      answers: { fields: plainFields({ data: 'object' }) },
    },
    handler: async () => ({
      data: {
        ...Object.fromEntries(PUBLIC.map((name) => [name, settings.get(name)])),
        PASSWORD_RULE: Object.fromEntries(PASSWORD_RULES.map((name) => [name, settings.get(name)])),
        IMPORT_FILE_LIMIT_MB: importFileLimit(settings),
        LOGIN_TITLE: settings.get('LOGIN_TITLE') || 'Sallyport',
        LOGO_URLS: builtInLogos(),
        // The xpack domain overrides these two.
        XPACK_ENABLED: false,
        XPACK_LICENSE_IS_VALID: false,
        XPACK_LICENSE_INFO: {},
        ...Object.assign({}, ...(await Promise.all((extensions.get(kernel) ?? []).map((values) => values())))),
      },
    }),
  })
}
