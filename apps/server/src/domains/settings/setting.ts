import type { Fields } from '@sallyport/contract/define.ts'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import {
  SETTING_CATEGORIES,
  SETTINGS_PATH,
  type SettingCategory,
  type SettingName,
  type Settings,
} from '@sallyport/contract/settings/index.ts'
import { sms } from '@sallyport/contract/settings/messengers.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Call } from '../../kernel/access/call.ts'
import { keepingChange } from '../../kernel/audit/named-change.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { metadataOf } from '../../kernel/resource/described/metadata.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../kernel/resource/query.ts'
import { readObject } from '../../kernel/resource/schema.ts'
import { checkedSettings, DEFINITIONS, recordSettings } from './checked.ts'
import { isSecret } from './reading.ts'
import type { SettingsStore } from './store.ts'

/**
 * GET, PUT, PATCH and OPTIONS of one category (docs/rules/settings.md#setting). For system
 * administrators, whatever the organization.
 */
export function registerSettingCalls(kernel: Kernel, settings: SettingsStore): void {
  const { app } = kernel
  const config = (summary: string) => ({ access: ['super_admin'] as const, summary })
  app.route({
    method: 'GET',
    url: SETTINGS_PATH,
    config: {
      ...config('Settings of a category'),
      answers: {
        fields: plainFields({
          SITE_URL: 'string',
          USER_GUIDE_URL: 'string',
          TERMS_URL: 'string',
          FORGOT_PASSWORD_URL: 'string',
          GLOBAL_ORG_DISPLAY_NAME: 'string',
          TICKETS_ENABLED: 'boolean',
          ANNOUNCEMENT_ENABLED: 'boolean',
          ANNOUNCEMENT: 'object',
        }),
      },
    },
    handler: async (request) => answerOf(categoryOf(request), settings.all()),
  })
  app.route({
    method: 'OPTIONS',
    url: SETTINGS_PATH,
    config: config('Settings of a category: metadata'),
    handler: async (request) =>
      metadataOf({ definition: DEFINITIONS[categoryOf(request)], mount: {} as never }, request.call),
  })
  app.route({
    method: 'GET',
    url: '/api/v1/settings/sms/backend/',
    config: {
      ...config('Providers of short messages'),
      rows: { fields: plainFields({ name: 'string', label: 'string' }) },
      answers: 'rows',
    },
    handler: async ({ call: { language } }) =>
      Object.entries(sms.SMS_BACKEND.choices).map(([name, label]) => ({ name, label: translate(language, label) })),
  })
  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: SETTINGS_PATH,
      config: { ...config('Change settings of a category'), opensWayIn: true },
      handler: async (request, reply) => {
        const category = categoryOf(request)
        await save(kernel, settings, request, reply, category, method === 'PUT')
        return answerOf(category, settings.all())
      },
    })
  }
}

/** An unknown or missing category is basic. */
function categoryOf(request: FastifyRequest): SettingCategory {
  const { category = '' } = singleValues(request.query)
  return Object.hasOwn(SETTING_CATEGORIES, category) ? (category as SettingCategory) : 'basic'
}

/** The values of a category without its secrets. */
function answerOf(category: SettingCategory, all: Settings): Record<string, unknown> {
  const shown: Settings = {
    ...all,
    ...oneSignInExtra(all),
    ANNOUNCEMENT: { ID: '', SUBJECT: '', CONTENT: '', LINK: '', ...all.ANNOUNCEMENT },
  }
  const names = Object.keys(SETTING_CATEGORIES[category]) as SettingName[]
  return Object.fromEntries(names.flatMap((name) => (isSecret(name) ? [] : [[name, shown[name]]])))
}

/**
 * The sign-in page has room for one of these: dynamic code, second factor, captcha; the first that
 * is on counts.
 */
function oneSignInExtra(all: Settings): Partial<Settings> {
  if (all.SECURITY_LOGIN_CHALLENGE_ENABLED)
    return { SECURITY_MFA_IN_LOGIN_PAGE: false, SECURITY_LOGIN_CAPTCHA_ENABLED: false }
  return all.SECURITY_MFA_IN_LOGIN_PAGE ? { SECURITY_LOGIN_CAPTCHA_ENABLED: false } : {}
}

async function save(
  kernel: Kernel,
  settings: SettingsStore,
  request: FastifyRequest,
  reply: FastifyReply,
  category: SettingCategory,
  whole: boolean,
): Promise<void> {
  const { call } = request
  const sent = readObject(request.body)
  const before = settings.all()
  const { values, errors } = checkedSettings(settings, category, sent, call)
  const missing = whole ? missingFields(DEFINITIONS[category].fields, sent, call) : {}
  if (Object.keys({ ...errors, ...missing }).length) throw invalid({ ...missing, ...errors })
  if (category === 'security' || category === 'all') dropMfaInLoginPage(values, before)
  const changed = await keepingChange(kernel.db, request, reply, async (db) => {
    const names = await settings.changeIn(db, values)
    if (names.length) await recordSettings(kernel, db, call, names, before, values)
    return names
  })
  await settings.announce(changed)
}

function missingFields(fields: Fields, sent: Readonly<Record<string, unknown>>, { language }: Call): FieldErrors {
  const missing = Object.entries(fields).filter(([name, { required }]) => required && sent[name] === undefined)
  return Object.fromEntries(missing.map(([name]) => [name, [translate(language, 'This field is required.')]]))
}

/** The second factor on the sign-in page works only where everybody must have one. */
function dropMfaInLoginPage(values: Partial<Settings>, before: Settings): void {
  const after = { ...before, ...values }
  if (after.SECURITY_MFA_IN_LOGIN_PAGE && after.SECURITY_MFA_AUTH !== 1) values.SECURITY_MFA_IN_LOGIN_PAGE = false
}
