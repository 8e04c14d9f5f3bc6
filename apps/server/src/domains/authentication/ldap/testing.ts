import type { Settings } from '@sallyport/contract/settings/index.ts'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { issueText } from '../../../kernel/errors/translate-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { secretsToEnterAgain, settingsOf } from '../../settings/index.ts'
import type { LdapSettings } from './directory.ts'
import { asLdapFailure, LdapFailure } from './ldap-failure.ts'
import { firstSource } from './sources.ts'
import { listPeople, tryPerson } from './trials.ts'

const text = z.string().max(1024)
const switched = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean().optional(),
)
const configBody = z.object({
  AUTH_LDAP_SERVER_URI: text,
  AUTH_LDAP_BIND_DN: text,
  AUTH_LDAP_BIND_PASSWORD: text.nullable(),
  AUTH_LDAP_SEARCH_OU: text,
  AUTH_LDAP_SEARCH_FILTER: text,
  AUTH_LDAP_GROUP_SEARCH_OU: text.optional(),
  // Forms of existing clients send it as JSON in a text.
  AUTH_LDAP_USER_ATTR_MAP: z.preprocess(readJson, z.record(z.string(), z.unknown())),
  AUTH_LDAP_START_TLS: switched,
  AUTH_LDAP: switched,
})
const loginBody = z.object({ username: z.string().trim().min(1).max(128), password: z.string().min(1).max(1024) })

/**
 * Tests of LDAP settings before they are saved, and of a sign-in with the saved ones
 * (docs/rules/settings.md#setting_ldap, B7.10 B7.11).
 */
export function registerLdapTesting(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'POST',
    url: '/api/v1/settings/ldap/testing/config/',
    config: { access: ['super_admin'], summary: 'Test LDAP settings', takes: configBody },
    handler: async ({ body, call: { language } }, reply) => {
      const read = configBody.safeParse(body ?? {})
      if (!read.success) throw malformed(read.error, language)
      return answer(
        reply,
        async () => {
          const settings = withSavedPassword(read.data, settingsOf(kernel).all())
          const count = await countPeople(kernel, settings)
          return translate(language, 'The settings work, the directory lists {{count}} people', { count })
        },
        (failure) => failure.in(language),
      )
    },
  })
  app.route({
    method: 'POST',
    url: '/api/v1/settings/ldap/testing/login/',
    config: { access: ['super_admin'], summary: 'Test a sign-in by LDAP', takes: loginBody },
    handler: async ({ body, call: { language } }, reply) => {
      const read = loginBody.safeParse(body ?? {})
      if (!read.success) throw malformed(read.error, language)
      const { username, password } = read.data
      return answer(
        reply,
        async () => {
          await countPeople(kernel, settingsOf(kernel).all())
          await tryPerson(kernel, firstSource(kernel), { username, password })
          return translate(language, '{{username}} can sign in', { username })
        },
        (failure) => failure.in(language),
      )
    },
  })
}

/** These two calls answer a bare JSON string, whether they succeed or fail. */
async function answer(
  reply: FastifyReply,
  test: () => Promise<string>,
  explain: (failure: LdapFailure) => string,
): Promise<FastifyReply> {
  const [status, words] = await test().then(
    (good) => [200, good] as const,
    (error) => [400, explain(asLdapFailure(error))] as const,
  )
  return reply.status(status).type('application/json').send(JSON.stringify(words))
}

const malformed = ({ issues: [issue] }: z.ZodError, language: Language) =>
  new AppError(400, 'ldap_test', 'Invalid input', {
    body: { error: issue ? [issue.path.join('.'), issueText(issue, language)].filter(Boolean).join(': ') : '' },
  })

/** JSON in a text, parsed; anything else as it is. */
function readJson(sent: unknown): unknown {
  if (typeof sent !== 'string' || sent.length > 8192) return sent
  try {
    return JSON.parse(sent)
  } catch {
    return sent
  }
}

/**
 * An empty password means the saved one, but only for the server and account that it was saved for:
 * it must not be sent anywhere else.
 */
function withSavedPassword(
  sent: z.infer<typeof configBody>,
  saved: Settings,
): LdapSettings & Pick<Settings, 'AUTH_LDAP'> {
  const { AUTH_LDAP_SERVER_URI, AUTH_LDAP_BIND_DN, AUTH_LDAP_BIND_PASSWORD } = sent
  const AUTH_LDAP_START_TLS = sent.AUTH_LDAP_START_TLS ?? saved.AUTH_LDAP_START_TLS
  const isElsewhere = secretsToEnterAgain({ AUTH_LDAP_SERVER_URI, AUTH_LDAP_START_TLS }, saved).length > 0
  if (!AUTH_LDAP_BIND_PASSWORD && AUTH_LDAP_BIND_DN && (isElsewhere || AUTH_LDAP_BIND_DN !== saved.AUTH_LDAP_BIND_DN))
    throw new LdapFailure('Enter the password: the saved one is only sent to the saved server and bind DN')
  return {
    ...saved,
    ...sent,
    AUTH_LDAP_BIND_PASSWORD: AUTH_LDAP_BIND_PASSWORD || saved.AUTH_LDAP_BIND_PASSWORD,
    AUTH_LDAP_START_TLS,
    AUTH_LDAP: sent.AUTH_LDAP ?? saved.AUTH_LDAP,
  } as LdapSettings & Pick<Settings, 'AUTH_LDAP'>
}

/**
 * Everything that a sign-in needs, in the contract's order; answers how many people the filter
 * finds.
 */
async function countPeople(kernel: Kernel, settings: LdapSettings & Pick<Settings, 'AUTH_LDAP'>): Promise<number> {
  const people = await listPeople(kernel, { id: null, settings: () => settings })
  if (!settings.AUTH_LDAP)
    throw new LdapFailure(
      'The settings work, and the directory lists {{count}} people; but sign-in by LDAP is not enabled',
      {
        count: people.length,
      },
    )
  return people.length
}
