import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { deleteRowsById } from '../../kernel/resource/delete.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { type MountedResource, resourcesOf } from '../../kernel/resource/registry.ts'
import { isEmail } from '../../kernel/resource/schema.ts'
import { createRow, updateRow } from '../../kernel/resource/write.ts'
import { addressWithout, PHONE } from '../authentication/index.ts'
import { addMemberships, orgsMembership } from '../orgs/index.ts'
import { settingsOf } from '../settings/index.ts'
import { usersGroupMember, usersListedGroup, usersPerson } from '../users/index.ts'
import { checkVersion, isSame, type Question, type Resource } from './answer.ts'
import { type Attributes, CORE_USER, ENTERPRISE_USER, type Parts, readAttributes, USER } from './attributes.ts'
import { type Askable, conditionOf } from './filter.ts'
import { patched } from './patch.ts'
import { scimError } from './scim-error.ts'
import { type Provider, scimGroup, scimPerson } from './tables.ts'

/** As the user form takes them. */
const MAX_TEXT = 128

/** The side of one call: the provider, as which everything is written, and where its resources are. */
export interface Side {
  kernel: Kernel
  provider: Provider
  call: Call
  /** Address of `/scim/v2`. */
  base: string
}

interface StoredPerson {
  id: string
  attributes: Attributes
  version: number
  date_created: Date
  date_updated: Date
  date_deleted: Date | null
  provider_id: string
  username: string
  name: string
  email: string
  is_active: boolean
  source: string
  managed_by: string
  is_member: boolean
  groups: { id: string; name: string }[]
}

const text = (path: string) => sql`${scimPerson.attributes} ->> ${path}::text`
const part = (of: string, path: string) => sql`${scimPerson.attributes} -> ${of}::text ->> ${path}::text`
const ENTRIES = ['value', 'type', 'display', 'primary'] as const

const ASKABLE: Askable = {
  id: { is: 'text', sql: sql`${scimPerson.user_id}::text` },
  externalid: { is: 'text', sql: sql`(${text('externalId')})`, exact: true },
  username: { is: 'text', sql: sql`${usersPerson.username}` },
  displayname: { is: 'text', sql: sql`coalesce(${text('displayName')}, ${usersPerson.name})` },
  nickname: { is: 'text', sql: text('nickName') },
  title: { is: 'text', sql: text('title') },
  usertype: { is: 'text', sql: text('userType') },
  'name.formatted': { is: 'text', sql: part('name', 'formatted') },
  'name.familyname': { is: 'text', sql: part('name', 'familyName') },
  'name.givenname': { is: 'text', sql: part('name', 'givenName') },
  'enterprise.employeenumber': { is: 'text', sql: part(ENTERPRISE_USER, 'employeeNumber') },
  'enterprise.department': { is: 'text', sql: part(ENTERPRISE_USER, 'department') },
  active: { is: 'boolean', sql: sql`${usersPerson.is_active}` },
  'meta.created': { is: 'time', sql: sql`${scimPerson.date_created}` },
  'meta.lastmodified': { is: 'time', sql: sql`${scimPerson.date_updated}` },
  emails: {
    is: 'list',
    sql: sql`coalesce(${scimPerson.attributes} -> 'emails', jsonb_build_array(jsonb_build_object('value', ${usersPerson.email})))`,
    parts: ENTRIES,
  },
  phonenumbers: { is: 'list', sql: sql`${scimPerson.attributes} -> 'phoneNumbers'`, parts: ENTRIES },
}

function selectPeople(db: Database, { provider }: Pick<Side, 'provider'>) {
  return db
    .select({
      id: scimPerson.user_id,
      attributes: scimPerson.attributes,
      version: scimPerson.version,
      date_created: scimPerson.date_created,
      date_updated: scimPerson.date_updated,
      date_deleted: scimPerson.date_deleted,
      provider_id: scimPerson.provider_id,
      username: usersPerson.username,
      name: usersPerson.name,
      email: usersPerson.email,
      is_active: usersPerson.is_active,
      source: usersPerson.source,
      managed_by: usersPerson.managed_by,
      is_member: sql<boolean>`EXISTS (SELECT 1 FROM ${orgsMembership} WHERE ${orgsMembership.user_id} = ${scimPerson.user_id} AND ${orgsMembership.org_id} = ${provider.org_id})`,
      groups: sql<
        StoredPerson['groups']
      >`coalesce((SELECT jsonb_agg(jsonb_build_object('id', ${usersListedGroup.id}, 'name', ${usersListedGroup.name}) ORDER BY ${usersListedGroup.name})
        FROM ${usersGroupMember} JOIN ${scimGroup} ON ${scimGroup.group_id} = ${usersGroupMember.group_id} AND ${scimGroup.provider_id} = ${provider.id}
        JOIN ${usersListedGroup} ON ${usersListedGroup.id} = ${scimGroup.group_id} WHERE ${usersGroupMember.user_id} = ${scimPerson.user_id}), '[]')`,
    })
    .from(scimPerson)
    .innerJoin(usersPerson, eq(usersPerson.id, scimPerson.user_id))
}

const kept = ({ provider }: Pick<Side, 'provider'>, condition?: SQL) =>
  and(eq(scimPerson.provider_id, provider.id), isNull(scimPerson.date_deleted), condition)

/** Throws 404 for a person whom this provider does not keep. */
async function personOf(side: Side, id: string): Promise<StoredPerson> {
  const [person] = isUuid(id)
    ? await selectPeople(side.kernel.db, side).where(kept(side, eq(scimPerson.user_id, id)))
    : []
  if (!person) throw scimError(404, undefined, `There is no user ${id.slice(0, 80)}`)
  return person
}

function present({ base }: Side, person: StoredPerson): Resource {
  const { attributes } = person
  return {
    schemas: [CORE_USER, ...(attributes[ENTERPRISE_USER] ? [ENTERPRISE_USER] : [])],
    id: person.id,
    ...attributes,
    userName: person.username,
    displayName: attributes.displayName ?? person.name,
    name: { formatted: person.name, ...(attributes.name as Parts | undefined) },
    emails: attributes.emails ?? [{ value: person.email, type: 'work', primary: true }],
    active: person.is_active,
    groups: person.groups.map(({ id, name }) => ({ value: id, display: name, $ref: `${base}/Groups/${id}` })),
    meta: {
      resourceType: 'User',
      created: person.date_created.toISOString(),
      lastModified: person.date_updated.toISOString(),
      location: `${base}/Users/${person.id}`,
    },
  }
}

export async function readPerson(side: Side, id: string): Promise<Resource> {
  return present(side, await personOf(side, id))
}

export async function listPeople(side: Side, { filter, startIndex, count }: Question) {
  const { db } = side.kernel
  const condition = kept(side, filter === undefined ? undefined : conditionOf(ASKABLE, filter))
  const [total] = await db
    .select({ amount: sql<number>`count(*)::int` })
    .from(scimPerson)
    .innerJoin(usersPerson, eq(usersPerson.id, scimPerson.user_id))
    .where(condition)
  const rows = count
    ? await selectPeople(db, side)
        .where(condition)
        .orderBy(scimPerson.date_created, scimPerson.user_id)
        .limit(count)
        .offset(startIndex - 1)
    : []
  return { total: total?.amount ?? 0, resources: rows.map((row) => present(side, row)) }
}

const usersOf = (kernel: Kernel): MountedResource => resourcesOf(kernel).get('user')

/** In the provider's organization; in root for a person who is no member of that. */
const contextOf = ({ kernel, call }: Side, isMember = true): ReadContext => ({
  kernel,
  db: kernel.db,
  call: isMember ? call : { ...call, org: { id: ROOT_ORG_ID, name: '' } },
  parameters: {},
  query: {},
})

/** Fields of a user; what is unfit for one is left out, as are telephone numbers of other countries. */
function fieldsOf({ kernel }: Side, attributes: Attributes) {
  const { formatted, givenName, familyName } = (attributes.name ?? {}) as Record<string, string | undefined>
  const username = String(attributes.userName)
  const first = (entries: unknown) => {
    const list = (entries ?? []) as Parts[]
    const { value } = list.find(({ primary }) => primary === true) ?? list[0] ?? {}
    return typeof value === 'string' ? value : undefined
  }
  const name = attributes.displayName ?? formatted ?? [givenName, familyName].filter(Boolean).join(' ')
  const address = first(attributes.emails) ?? username
  const suffix = settingsOf(kernel).get('EMAIL_SUFFIX')
  const phone = first(attributes.phoneNumbers)?.replace(/^\+86/, '').replace(/[\s-]/g, '')
  return {
    username,
    name: String(name || username).slice(0, MAX_TEXT),
    email: isEmail(address) ? address : addressWithout(username, suffix),
    ...(phone && PHONE.test(phone) ? { phone } : {}),
  }
}

/** POST. Nobody who is here already is taken over, but for people whom the same source has signed in. */
export async function createPerson(side: Side, body: unknown): Promise<Resource> {
  const { kernel, provider } = side
  const attributes = readAttributes(USER, body)
  const fields = fieldsOf(side, attributes)
  const link = { provider_id: provider.id, attributes }
  const there = await findByName(kernel.db, fields.username)
  if (!there) {
    const draft = { ...fields, is_active: attributes.active !== false, source: provider.source, org_roles: ['User'] }
    const { id } = await createRow(usersOf(kernel), draft, contextOf(side), (db, stored) =>
      db.insert(scimPerson).values({ ...link, user_id: String(stored.id) }),
    )
    return readPerson(side, String(id))
  }
  refuseTakeover(side, there)
  // A person deactivated here stays so, unless that was by the deletion there.
  const isRevived = there.date_deleted !== null && attributes.active !== false
  const change = {
    ...fields,
    ...(isRevived ? { is_active: true } : attributes.active === false ? { is_active: false } : {}),
  }
  await updateRow(usersOf(kernel), there.id, 'patch', change, contextOf(side, false), async (db) => {
    const [made] = await db
      .insert(scimPerson)
      .values({ ...link, user_id: there.id })
      .onConflictDoUpdate({
        target: scimPerson.user_id,
        set: { ...link, date_deleted: null, date_updated: sql`now()`, version: sql`${scimPerson.version} + 1` },
        setWhere: sql`${scimPerson.date_deleted} IS NOT NULL`,
      })
      .returning({ id: scimPerson.user_id })
    if (!made) throw scimError(409, 'uniqueness', 'The user was created at the same moment')
    await addMemberships(db, [{ org: provider.org_id, user: there.id, role: 'User' }])
  })
  return readPerson(side, there.id)
}

/** Somebody with this user name in any case, and the provider that keeps or kept them. */
async function findByName(db: Database, username: string) {
  const [person] = await db
    .select({
      id: usersPerson.id,
      username: usersPerson.username,
      role: usersPerson.role,
      source: usersPerson.source,
      provider_id: scimPerson.provider_id,
      date_deleted: scimPerson.date_deleted,
    })
    .from(usersPerson)
    .leftJoin(scimPerson, eq(scimPerson.user_id, usersPerson.id))
    .where(sql`lower(${usersPerson.username}) = lower(${username}::text)`)
    .orderBy(sql`${usersPerson.username} <> ${username}::text`)
    .limit(1)
  return person
}

type There = NonNullable<Awaited<ReturnType<typeof findByName>>>

/** Throws 409 for people who are somebody else's, or of here. */
function refuseTakeover({ provider }: Side, there: There): void {
  const { username, source, role, provider_id, date_deleted } = there
  const refuse = (reason: string) => scimError(409, 'uniqueness', `userName: ${username} ${reason}`)
  if (provider_id && (provider_id !== provider.id || !date_deleted)) throw refuse('exists already')
  if (source !== provider.source)
    throw refuse(`is a person of another source (${source}); an administrator may set it to ${provider.source}`)
  if (role !== 'User') throw refuse('has a role of the whole system, and is kept here')
}

/** PUT, or PATCH with the operations that it consists of. */
export async function changePerson(
  side: Side,
  id: string,
  mode: 'put' | 'patch',
  body: unknown,
  ifMatch: string | undefined,
): Promise<Resource> {
  const { kernel } = side
  const person = await personOf(side, id)
  checkVersion(present(side, person), ifMatch)
  refuseForeign(side, person)
  const current: Attributes = { ...person.attributes, userName: person.username }
  const attributes = mode === 'put' ? readAttributes(USER, body) : patched(USER, current, body)
  // PUT without a state leaves it: some providers never send one.
  const was = person.attributes.active !== false
  const wanted = attributes.active ?? was
  if (mode === 'put' && attributes.active === undefined) attributes.active = was
  // A person switched off here stays so, however often the provider repeats itself.
  const state = wanted === false ? { is_active: false } : was ? {} : { is_active: true }
  const fields = fieldsOf(side, attributes)
  const isNew =
    fields.username !== person.username ||
    fields.name !== person.name ||
    fields.email !== person.email ||
    ('is_active' in state && state.is_active !== person.is_active)
  if (!isNew && isSame(attributes, person.attributes)) return present(side, person)
  const context = contextOf(side, person.is_member)
  await updateRow(usersOf(kernel), id, 'patch', { ...fields, ...state }, context, (db) =>
    storePerson(db, person, { attributes }),
  )
  return readPerson(side, id)
}

/** An administrator here made the person one of another source. Throws 409. */
function refuseForeign({ provider }: Side, { managed_by, username }: StoredPerson): void {
  if (managed_by !== provider.name)
    throw scimError(409, 'mutability', `${username} is no longer kept by this provider: their source was changed here`)
}

/** DELETE: the person is deactivated, or deleted where the provider is set so. */
export async function deletePerson(side: Side, id: string, ifMatch: string | undefined): Promise<void> {
  const { kernel, provider } = side
  const person = await personOf(side, id)
  checkVersion(present(side, person), ifMatch)
  refuseForeign(side, person)
  const context = contextOf(side, person.is_member)
  if (provider.on_delete === 'delete') return deleteRowsById(usersOf(kernel), [id], context)
  await updateRow(usersOf(kernel), id, 'patch', { is_active: false }, context, (db) =>
    storePerson(db, person, { date_deleted: new Date() }),
  )
}

/** Throws 409 where another call has changed the person meanwhile. */
async function storePerson(
  db: Database,
  { id, version }: Pick<StoredPerson, 'id' | 'version'>,
  change: Partial<Pick<typeof scimPerson.$inferInsert, 'attributes' | 'date_deleted'>>,
): Promise<void> {
  const stored = await db
    .update(scimPerson)
    .set({ ...change, version: version + 1, date_updated: sql`now()` })
    .where(and(eq(scimPerson.user_id, id), eq(scimPerson.version, version)))
    .returning({ id: scimPerson.user_id })
  if (!stored.length) throw scimError(409, undefined, 'Changed by somebody else at the same time, please try again')
}
