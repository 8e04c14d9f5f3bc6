import { directory as definition } from '@sallyport/contract/resources/authentication/directory.ts'
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { AppError, invalid, notFound } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { asLdapFailure } from '../ldap/ldap-failure.ts'
import { askingBy, openPassword, sourceInForce } from '../ldap/sources.ts'
import { authenticationDirectory } from '../ldap/tables.ts'
import { listPeople, tryPerson } from '../ldap/trials.ts'
import { leadsElsewhere } from './rules.ts'

const text = z.string().max(1024)
const { connect_timeout: timeout, search_paged_size: size } = definition.fields
const formBody = z.object({
  /** The directory that the form changes: an empty password means the one that is stored for it. */
  id: z.uuid().nullish(),
  server_uri: text,
  start_tls: z.boolean().default(false),
  ca_certificates: z.string().max(65_536).default(''),
  bind_dn: text.default(''),
  bind_password: text.nullish(),
  search_ou: text,
  search_filter: text.default(definition.fields.search_filter.default),
  user_attr_map: z.record(z.string(), z.unknown()).default(definition.fields.user_attr_map.default),
  group_search_ou: text.default(''),
  connect_timeout: z.number().int().min(timeout.min).max(timeout.max).default(timeout.default),
  search_paged_size: z.number().int().min(size.min).max(size.max).default(size.default),
})
const loginBody = z.object({ username: z.string().trim().min(1).max(128), password: z.string().min(1).max(1024) })

/** Trials of a directory: of a form before it is saved, and of a sign-in by one that is. */
export function registerDirectoryTrials(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'POST',
    url: `${definition.path}test/`,
    config: {
      access: ['super_admin'],
      summary: 'Test the connection to a directory',
      answers: { fields: plainFields({ msg: 'string' }) },
      takes: formBody,
    },
    handler: async ({ body, call: { language } }) => {
      const form = formBody.parse(body ?? {})
      const password = await passwordFor(kernel, form, language)
      const people = await tried(language, () =>
        listPeople(kernel, { id: form.id ?? null, settings: () => askingBy(form, password) }),
      )
      const count = people.length
      return { msg: translate(language, 'The settings work, the directory lists {{count}} people', { count }) }
    },
  })
  app.route({
    method: 'POST',
    url: `${definition.path}:id/test-sign-in/`,
    config: {
      access: ['super_admin'],
      summary: 'Test a sign-in by a directory',
      answers: { fields: plainFields({ msg: 'string' }) },
      takes: loginBody,
    },
    handler: async ({ body, params, call: { language } }) => {
      const login = loginBody.parse(body ?? {})
      const source = await sourceOfCall(kernel, params)
      await tried(language, () => tryPerson(kernel, source, login))
      return { msg: translate(language, '{{username}} can sign in', { username: login.username }) }
    },
  })
}

/** The directory that a call names. Throws 404 for none, and 400 for one that is switched off. */
export async function sourceOfCall(kernel: Kernel, params: unknown) {
  const { id } = params as { id: string }
  const [row] = isUuid(id)
    ? await kernel.db
        .select({ id: authenticationDirectory.id })
        .from(authenticationDirectory)
        .where(eq(authenticationDirectory.id, id))
    : []
  if (!row) throw notFound()
  const source = await sourceInForce(kernel, id)
  if (!source) throw new AppError(400, 'directory_off', 'This directory is switched off')
  return source
}

/** The password of the form, or the stored one, which goes to its own server and account alone. */
async function passwordFor(kernel: Kernel, form: z.infer<typeof formBody>, language: Language): Promise<string> {
  if (form.bind_password || !form.bind_dn) return form.bind_password ?? ''
  const [row] = form.id
    ? await kernel.db.select().from(authenticationDirectory).where(eq(authenticationDirectory.id, form.id))
    : []
  if (!row?.bind_password_sealed)
    throw invalid({ bind_password: translate(language, 'Enter the password of the bind DN') })
  if (leadsElsewhere(form, row))
    throw invalid({
      bind_password: translate(
        language,
        'Enter the password: the saved one is only sent to the saved server and bind DN',
      ),
    })
  return openPassword(kernel, row.id, row.bind_password_sealed)
}

/** Throws 400 with the reason why the directory could not do it. */
async function tried<T>(language: Language, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new AppError(400, 'ldap_test', asLdapFailure(error).in(language), { cause: error })
  }
}
