import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { eq, inArray } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Call, displayName, isRoot } from '../../../kernel/access/call.ts'
import { changeInParts } from '../../../kernel/audit/named-change.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { pageOf, singleValues } from '../../../kernel/resource/query.ts'
import { orgsListedOrganization } from '../../orgs/index.ts'
import { usersAccount } from '../../users/index.ts'
import { savePeople } from '../outside-people.ts'
import { keepNewEntries } from './known-entries.ts'
import { asLdapFailure } from './ldap-failure.ts'
import { letGoOfMissing } from './missing-people.ts'
import type { LdapPerson } from './person.ts'
import { firstSource, type LdapSource } from './sources.ts'
import { askForUsers, forgetUserList, listedUsers } from './user-list.ts'

const USERS = '/api/v1/settings/ldap/users/'
const MAX_NAMES = 100_000
const body = z.object({
  username_list: z.array(z.string().max(1024)).max(MAX_NAMES).default([]),
  org_id: z.string().max(128).nullish(),
})

interface LdapUser {
  id: string
  username: string
  name: string
  email: string
  existing: boolean
}

const LISTED = {
  fields: plainFields({ id: 'string', username: 'string', name: 'string', email: 'email', existing: 'boolean' }),
}
const COLUMNS = ['id', 'username', 'name', 'email', 'existing'] as const

const config = (summary: string) => ({ access: ['super_admin'] as const, summary })

/**
 * Lists and imports the people of the directory of the settings, and discards the list
 * (docs/rules/settings.md#ldap_user, B7.12 B7.13 B7.14).
 */
export function registerLdapUsers(kernel: Kernel): void {
  registerPeopleCalls(kernel, USERS, {
    sourceOf: async () => firstSource(kernel),
    list: 'People of the LDAP directory',
    bringIn: 'Import people of the LDAP directory',
  })
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/settings/ldap/cache/refresh/',
    config: {
      ...config('Forget the list of the LDAP directory'),
      changesOnGet: true,
      answers: { fields: plainFields({ msg: 'string' }) },
    },
    handler: async () => {
      await forgetUserList(kernel, null)
      return { msg: 'success' }
    },
  })
}

/** Calls that list the people of a directory and import them. */
export function registerPeopleCalls(
  kernel: Kernel,
  url: string,
  {
    sourceOf,
    list,
    bringIn,
  }: { sourceOf(request: FastifyRequest): Promise<LdapSource>; list: string; bringIn: string },
): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url,
    config: { ...config(list), rows: LISTED },
    handler: async (request) => {
      const query = singleValues(request.query)
      const source = await sourceOf(request)
      const rows = arrange(
        await withExisting(kernel, await peopleOf(kernel, source, query.cache_police, request.call.language)),
        query,
      )
      const page = pageOf(query)
      if (!page) return rows
      const { limit, offset } = page
      const at = (start: number) =>
        `${request.url.split('?')[0]}?${new URLSearchParams({ ...query, offset: String(start) })}`
      return {
        count: rows.length,
        next: offset + limit < rows.length ? at(offset + limit) : null,
        previous: offset > 0 ? at(Math.max(0, offset - limit)) : null,
        results: rows.slice(offset, offset + limit),
      }
    },
  })
  app.route({
    method: 'POST',
    url: `${url}import/`,
    config: { ...config(bringIn), opensWayIn: true, takes: body },
    handler: async (request, reply) => {
      const { cache_police: policy } = singleValues(request.query)
      const source = await sourceOf(request)
      const change = changeInParts(request, reply)
      return {
        msg: await importPeople(kernel, request.call, body.parse(request.body ?? {}), { source, policy, change }),
      }
    },
  })
}

/**
 * Imports the people named, or everybody in the directory if none are named. Answers in a sentence
 * what was done. Throws 400 with what is wrong with each person; the others are stored all the
 * same.
 */
async function importPeople(
  kernel: Kernel,
  call: Call,
  { username_list, org_id }: z.infer<typeof body>,
  {
    source,
    policy,
    change,
  }: { source: LdapSource; policy: string | undefined; change: ReturnType<typeof changeInParts> },
): Promise<string> {
  const org = await organizationOf(kernel, call, org_id)
  const listed = await listedOrAsked(kernel, source, policy, call.language)
  const names = new Set(username_list)
  const people = names.size ? listed.filter(({ username }) => names.has(username)) : listed
  const { saved, refused } = await savePeople(kernel, people, {
    source: 'ldap',
    directory: source.id,
    org: org?.id,
    named: names.size > 0,
    create: true,
    update: true,
    begin: change.begin,
    log: (db, batch) =>
      kernel.audit.record(
        db,
        call,
        batch
          .filter(({ done }) => done !== 'unchanged')
          .map((one) => ({
            action: one.done === 'created' ? 'create' : 'update',
            resourceType: 'User',
            resource: displayName(one),
            orgId: org?.id ?? ROOT_ORG_ID,
            object: { type: 'user', id: one.id },
            changes: one.changes,
          })),
      ),
  })
  if (saved.some(({ done }) => done !== 'unchanged')) change.end()
  await keepNewEntries(kernel.db, source.id, saved, people)
  if (!names.size) await letGoOfMissing(kernel, source.id, people)
  const say = (text: string, values?: Record<string, unknown>) => translate(call.language, text, values)
  const emails = new Map(people.map(({ username, email }) => [username, email]))
  const found = new Set(people.map(({ username }) => username))
  const missing = [...names].filter((name) => !found.has(name))
  const errors = [
    ...[...refused].map(([username, text]) => ({ [username]: say(text, { email: emails.get(username) }) })),
    ...missing.map((name) => ({ [name]: say('The directory does not list this person') })),
  ]
  // When everybody is imported, people who can't be are only an error if nobody was stored.
  if (errors.length && (names.size || !saved.length)) throw refusal({ errors })
  const values = { count: saved.length, org: org?.name }
  return org
    ? say('{{count}} people were imported into the organization {{org}}', values)
    : say('{{count}} people were imported', values)
}

const refusal = (answer: object, status = 400) => new AppError(status, 'ldap_users', 'Invalid input', { body: answer })

/**
 * The listed people, or those of now if the caller wants no cached list. Throws the answers of
 * docs/rules/settings.md#ldap_user while there is no list.
 */
async function peopleOf(
  kernel: Kernel,
  source: LdapSource,
  policy: string | undefined,
  language: Language,
): Promise<LdapPerson[]> {
  if (!wantsList(policy)) return ask(kernel, source, language)
  const list = await listedUsers(kernel, source)
  if (list.state === 'done') return list.people
  if (list.state === 'failed') throw refusal({ error: translate(language, list.text, list.values) })
  throw refusal({ msg: translate(language, 'The directory is being read, look again in a moment') }, 409)
}

async function listedOrAsked(
  kernel: Kernel,
  source: LdapSource,
  policy: string | undefined,
  language: Language,
): Promise<LdapPerson[]> {
  const list = wantsList(policy) ? await listedUsers(kernel, source) : undefined
  return list?.state === 'done' ? list.people : ask(kernel, source, language)
}

const wantsList = (policy = '1') => ['1', 'true', 'True'].includes(policy)

async function ask(kernel: Kernel, source: LdapSource, language: Language): Promise<LdapPerson[]> {
  try {
    return await askForUsers(kernel, source)
  } catch (error) {
    const failure = asLdapFailure(error)
    kernel.app.log.info({ err: failure }, 'the LDAP directory could not be listed')
    throw refusal({ error: failure.in(language) })
  }
}

async function withExisting(kernel: Kernel, people: readonly LdapPerson[]): Promise<LdapUser[]> {
  const names = people.map(({ username }) => username)
  const rows = names.length
    ? await kernel.db
        .select({ username: usersAccount.username })
        .from(usersAccount)
        .where(inArray(usersAccount.username, names))
    : []
  const existing = new Set(rows.map(({ username }) => username))
  return people.map(({ username, name, email }) => ({
    id: username,
    username,
    name,
    email,
    existing: existing.has(username),
  }))
}

function arrange(rows: readonly LdapUser[], { search = '', order = '' }: Readonly<Record<string, string>>): LdapUser[] {
  const wanted = search.trim().toLowerCase()
  const found = rows.filter(
    ({ username, name, email }) =>
      !wanted || [username, name, email].some((text) => text.toLowerCase().includes(wanted)),
  )
  const column = COLUMNS.find((name) => name === order.replace(/^-/, '')) ?? 'existing'
  const sign = order.startsWith('-') ? -1 : 1
  // By code points, not by one language's order: a directory holds people of many.
  const compare = (a: string | boolean, b: string | boolean) => (a < b ? -1 : a > b ? 1 : 0)
  return found.sort((a, b) => sign * compare(a[column], b[column]) || compare(a.username, b.username))
}

/**
 * The organization that imported people become members of: the one named, else the current one;
 * none in root.
 */
async function organizationOf(
  kernel: Kernel,
  call: Call,
  id: string | null | undefined,
): Promise<{ id: string; name: string } | undefined> {
  if (!id) return isRoot(call) ? undefined : call.org
  if (id === ROOT_ORG_ID) return undefined
  const [org] = z.uuid().safeParse(id).success
    ? await kernel.db
        .select({ id: orgsListedOrganization.id, name: orgsListedOrganization.name })
        .from(orgsListedOrganization)
        .where(eq(orgsListedOrganization.id, id))
    : []
  if (!org) throw refusal({ error: translate(call.language, 'There is no such organization') })
  return org
}
