import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { deleteRowsById } from '../../kernel/resource/delete.ts'
import { type MountedResource, resourcesOf } from '../../kernel/resource/registry.ts'
import { createRow, updateRow } from '../../kernel/resource/write.ts'
import { usersGroupMember, usersListedGroup, usersPerson } from '../users/index.ts'
import { checkVersion, isSame, type Question, type Resource } from './answer.ts'
import { type Attributes, CORE_GROUP, GROUP, type Parts, readAttributes } from './attributes.ts'
import { type Askable, conditionOf } from './filter.ts'
import { patched } from './patch.ts'
import type { Side } from './people.ts'
import { scimError } from './scim-error.ts'
import { scimGroup, scimPerson } from './tables.ts'

interface StoredGroup {
  id: string
  external_id: string | null
  version: number
  date_created: Date
  date_updated: Date
  name: string
  members: { value: string; display: string }[]
}

const ASKABLE: Askable = {
  id: { is: 'text', sql: sql`${scimGroup.group_id}::text` },
  externalid: { is: 'text', sql: sql`${scimGroup.external_id}`, exact: true },
  displayname: { is: 'text', sql: sql`${usersListedGroup.name}` },
  'meta.created': { is: 'time', sql: sql`${scimGroup.date_created}` },
  'meta.lastmodified': { is: 'time', sql: sql`${scimGroup.date_updated}` },
  members: {
    is: 'list',
    sql: sql`(SELECT jsonb_agg(jsonb_build_object('value', ${usersGroupMember.user_id})) FROM ${usersGroupMember} WHERE ${usersGroupMember.group_id} = ${scimGroup.group_id})`,
    parts: ['value'],
  },
}

/** Members are those whom this provider keeps: no others are in its groups. */
function selectGroups(db: Database, withMembers: boolean) {
  return db
    .select({
      id: scimGroup.group_id,
      external_id: scimGroup.external_id,
      version: scimGroup.version,
      date_created: scimGroup.date_created,
      date_updated: scimGroup.date_updated,
      name: usersListedGroup.name,
      members: withMembers
        ? sql<
            StoredGroup['members']
          >`coalesce((SELECT jsonb_agg(jsonb_build_object('value', ${usersPerson.id}, 'display', ${usersPerson.name}) ORDER BY ${usersPerson.id})
            FROM ${usersGroupMember} JOIN ${usersPerson} ON ${usersPerson.id} = ${usersGroupMember.user_id}
            JOIN ${scimPerson} ON ${scimPerson.user_id} = ${usersPerson.id} AND ${scimPerson.date_deleted} IS NULL
            WHERE ${usersGroupMember.group_id} = ${scimGroup.group_id}), '[]')`
        : sql<StoredGroup['members']>`'[]'::jsonb`,
    })
    .from(scimGroup)
    .innerJoin(usersListedGroup, eq(usersListedGroup.id, scimGroup.group_id))
}

const kept = ({ provider }: Side, condition?: SQL) => and(eq(scimGroup.provider_id, provider.id), condition)

/** Throws 404 for a group that this provider does not keep. */
async function groupOf(side: Side, id: string, withMembers = true): Promise<StoredGroup> {
  const [group] = isUuid(id)
    ? await selectGroups(side.kernel.db, withMembers).where(kept(side, eq(scimGroup.group_id, id)))
    : []
  if (!group) throw scimError(404, undefined, `There is no group ${id.slice(0, 80)}`)
  return group
}

const attributesOf = ({ name, external_id, members }: StoredGroup): Attributes => ({
  displayName: name,
  ...(external_id === null ? {} : { externalId: external_id }),
  ...(members.length ? { members: members.map((member) => ({ ...member })) } : {}),
})

function present({ base }: Side, group: StoredGroup): Resource {
  return {
    schemas: [CORE_GROUP],
    id: group.id,
    ...(group.external_id === null ? {} : { externalId: group.external_id }),
    displayName: group.name,
    members: group.members.map((member) => ({ ...member, type: 'User', $ref: `${base}/Users/${member.value}` })),
    meta: {
      resourceType: 'Group',
      created: group.date_created.toISOString(),
      lastModified: group.date_updated.toISOString(),
      location: `${base}/Groups/${group.id}`,
    },
  }
}

/** Whether the question wants members, which are thousands in a large group. */
const wantsMembers = ({ attributes, excludedAttributes }: Question) =>
  !excludedAttributes.includes('members') &&
  (!attributes.length || attributes.some((one) => one === 'members' || one.startsWith('members.')))

export async function readGroup(side: Side, id: string, question?: Question): Promise<Resource> {
  return present(side, await groupOf(side, id, question === undefined || wantsMembers(question)))
}

export async function listGroups(side: Side, question: Question) {
  const { db } = side.kernel
  const { filter, startIndex, count } = question
  const condition = kept(side, filter === undefined ? undefined : conditionOf(ASKABLE, filter))
  const [total] = await db
    .select({ amount: sql<number>`count(*)::int` })
    .from(scimGroup)
    .innerJoin(usersListedGroup, eq(usersListedGroup.id, scimGroup.group_id))
    .where(condition)
  const rows = count
    ? await selectGroups(db, wantsMembers(question))
        .where(condition)
        .orderBy(scimGroup.date_created, scimGroup.group_id)
        .limit(count)
        .offset(startIndex - 1)
    : []
  return { total: total?.amount ?? 0, resources: rows.map((row) => present(side, row)) }
}

const groupsOf = ({ kernel }: Side): MountedResource => resourcesOf(kernel).get('user_group')

const contextOf = ({ kernel, call }: Side) => ({ kernel, db: kernel.db, call, parameters: {}, query: {} })

/** Ids of the members. Throws 400 for anybody whom this provider does not keep, groups among them. */
async function membersOf({ kernel, provider }: Side, { members = [] }: Attributes): Promise<string[]> {
  const ids = [...new Set((members as Parts[]).map(({ value }) => String(value).toLowerCase()))]
  const { rows } = await kernel.db.execute<{ id: string }>(
    sql`SELECT wanted AS id FROM unnest(${sql.param(ids)}::text[]) wanted
      LEFT JOIN ${scimPerson} ON ${scimPerson.user_id}::text = wanted AND ${scimPerson.provider_id} = ${provider.id}
        AND ${scimPerson.date_deleted} IS NULL WHERE ${scimPerson.user_id} IS NULL LIMIT 1`,
  )
  const [unknown] = rows
  if (unknown) throw scimError(400, 'invalidValue', `members: there is no user ${unknown.id.slice(0, 80)}`)
  return ids
}

/** POST. A group of that name that was made here is not taken over: 409. */
export async function createGroup(side: Side, body: unknown): Promise<Resource> {
  const attributes = readAttributes(GROUP, body)
  const draft = { name: attributes.displayName, users: await membersOf(side, attributes) }
  const { id } = await createRow(groupsOf(side), draft, contextOf(side), (db, stored) =>
    db.insert(scimGroup).values({
      group_id: String(stored.id),
      provider_id: side.provider.id,
      external_id: textOf(attributes.externalId),
    }),
  )
  return readGroup(side, String(id))
}

/** PUT, or PATCH with the operations that it consists of. */
export async function changeGroup(
  side: Side,
  id: string,
  mode: 'put' | 'patch',
  body: unknown,
  ifMatch: string | undefined,
): Promise<Resource> {
  const group = await groupOf(side, id)
  checkVersion(present(side, group), ifMatch)
  const before = attributesOf(group)
  const attributes = mode === 'put' ? readAttributes(GROUP, body) : patched(GROUP, before, body)
  const users = await membersOf(side, attributes)
  const isSameMembers =
    users.length === group.members.length && group.members.every(({ value }) => users.includes(value))
  const { members: _before, ...plainBefore } = before
  const { members: _after, ...plain } = attributes
  if (isSameMembers && isSame(plain, plainBefore)) return present(side, group)
  const draft = { name: attributes.displayName, ...(isSameMembers ? {} : { users }) }
  await updateRow(groupsOf(side), id, 'patch', draft, contextOf(side), async (db) => {
    const stored = await db
      .update(scimGroup)
      .set({ external_id: textOf(attributes.externalId), version: group.version + 1, date_updated: sql`now()` })
      .where(and(eq(scimGroup.group_id, id), eq(scimGroup.version, group.version)))
      .returning({ id: scimGroup.group_id })
    if (!stored.length) throw scimError(409, undefined, 'Changed by somebody else at the same time, please try again')
  })
  return readGroup(side, id)
}

/** DELETE: with the group goes what it gave. */
export async function deleteGroup(side: Side, id: string, ifMatch: string | undefined): Promise<void> {
  checkVersion(present(side, await groupOf(side, id)), ifMatch)
  await deleteRowsById(groupsOf(side), [id], contextOf(side))
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
