import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { FieldChange } from '../../kernel/audit/audit.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { valueChanges } from '../../kernel/resource/operate-log/changes.ts'
import { isEmail } from '../../kernel/resource/schema.ts'
import { addMemberships, orgsMembership } from '../orgs/index.ts'
import { settingsOf } from '../settings/index.ts'
import { holdOpenDirectory } from '../users/directories/index.ts'
import {
  addOutsidePeople,
  changeOutsidePerson,
  findUsersOf,
  type OutsideValues,
  UNSEEN,
  USER_CHANGED,
  type User,
} from '../users/index.ts'
import { endSignIns } from './end-sign-ins.ts'
import { applyGroups } from './group-mapping/apply.ts'
import type { OutsideSource } from './outside-source.ts'

export type { OutsideSource } from './outside-source.ts'

/** A person as an outside source describes them; what it does not know is missing or empty. */
export interface OutsidePerson {
  username: string
  name: string
  email: string
  phone?: string
  wechat?: string
  comment?: string
  /** Undefined when the source does not say. */
  is_active?: boolean
  /**
   * The groups that the source knows them in, as it writes them. Undefined when it does not say, or not
   * all: what they had by their groups stays.
   */
  groups?: readonly string[] | undefined
}

export interface SaveOptions {
  source: OutsideSource
  /** The directory or provider that knows them, where it is not that of the settings. */
  directory?: string | null
  /**
   * The organization that they become members of, as users; if undefined, people without any
   * organization join Default.
   */
  org?: string
  /**
   * An administrator named these people: local ones of the same name become people of the source,
   * and disabled ones active again if the source says so. Otherwise the administrator of the source
   * could take over any local person.
   */
  named?: boolean
  /** Whether to make people who are not here yet. */
  create: boolean
  /** Whether to update those who are here. */
  update: boolean
  /** Called for each batch, as the first in its transaction. */
  begin?(db: Database): Promise<void>
  /** Called for each batch, in its transaction: what is written then is stored with it or not at all. */
  log?(db: Database, saved: SavedPeople['saved']): Promise<void>
}

export interface SavedPeople {
  saved: {
    id: string
    username: string
    name: string
    done: 'created' | 'updated' | 'unchanged'
    /** The changed values, for the operate log. */
    changes: readonly FieldChange[]
  }[]
  /** English text of why somebody was left out, by username; `{{email}}` is their address. */
  refused: Map<string, string>
}

const CHUNK = 500
const MAX_TEXT = 128
/** As the user form accepts them. */
export const PHONE = new RegExp(user.fields.phone.pattern)
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/
/** Line ends, and what turns the direction of text, so that a name reads as another. */
const UNSEEN_IN_TEXT = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu

export const REFUSED = {
  username: 'The username is empty, too long or contains characters that are not allowed',
  email: 'The email address {{email}} belongs to somebody else here',
  administrator: 'A local system administrator is not taken over',
  source: 'A user with this name comes from another source',
  directory: 'A user with this name comes from another directory',
  provider: 'A user with this name comes from another sign-in provider',
  off: 'This sign-in provider is switched off',
  absent: 'There is no such user, and new users are not created',
  race: 'A user whose name looks the same is here, or was created at the same moment',
} as const

/**
 * Makes and updates the rows of people whom an outside source knows, in batches that are stored
 * whole or not at all.
 */
export async function savePeople(
  kernel: Kernel,
  people: readonly OutsidePerson[],
  options: SaveOptions,
): Promise<SavedPeople> {
  const result: SavedPeople = { saved: [], refused: new Map() }
  for (let start = 0; start < people.length; start += CHUNK) {
    const before = result.saved.length
    const changed = await kernel.db.transaction(async (db) => {
      await options.begin?.(db)
      // Nobody is made by a directory that is being switched off.
      if (options.directory) await holdOpenDirectory(db, options.directory)
      const changed = await savePiece(kernel, db, people.slice(start, start + CHUNK), options, result)
      await options.log?.(db, result.saved.slice(before))
      return changed
    })
    for (const user_id of changed) await kernel.events.publish(USER_CHANGED, { user_id })
  }
  return result
}

/** Stores one batch; answers the ids of those who changed. */
async function savePiece(
  kernel: Kernel,
  db: Database,
  people: readonly OutsidePerson[],
  options: SaveOptions,
  { saved, refused }: SavedPeople,
): Promise<string[]> {
  const suffix = settingsOf(kernel).get('EMAIL_SUFFIX')
  const wanted = new Map<string, OutsidePerson>()
  for (const person of people) {
    if (!person.username || person.username.length > MAX_TEXT || CONTROL.test(person.username))
      refused.set(person.username.slice(0, MAX_TEXT), REFUSED.username)
    else wanted.set(person.username, { ...person, email: addressOf(person, suffix) })
  }
  const { byName, owners } = await findPresent(db, [...wanted.values()])
  const made: (OutsideValues & { username: string })[] = []
  const changed: string[] = []
  for (const person of wanted.values()) {
    const row = byName.get(person.username)
    const reason = row ? refusalOf(row, options) : options.create ? undefined : REFUSED.absent
    if (reason) {
      refused.set(person.username, reason)
      continue
    }
    const key = person.email.toLowerCase()
    const isTaken = owners.has(key) && owners.get(key) !== person.username
    if (!row) {
      if (isTaken) refused.set(person.username, REFUSED.email)
      else if (UNSEEN.test(person.username)) refused.set(person.username, REFUSED.username)
      else {
        owners.set(key, person.username)
        made.push({ username: person.username, ...valuesOf(person, options) })
      }
      continue
    }
    const values = valuesOf(person, options, row)
    // An address that is somebody else's is not taken over; the person keeps theirs.
    if (isTaken) values.email = row.email
    else owners.set(key, person.username)
    const differs = options.update && Object.entries(values).some(([name, value]) => row[name as keyof User] !== value)
    if (differs) {
      await changeOutsidePerson(db, row.id, values)
      if (row.is_active && !values.is_active) await endSignIns(db, row.id)
      changed.push(row.id)
    }
    saved.push({
      id: row.id,
      username: row.username,
      name: values.name,
      done: differs ? 'updated' : 'unchanged',
      changes: differs ? valueChanges(user.fields, { ...row }, { ...values }) : [],
    })
  }
  const created = await addOutsidePeople(db, made)
  const names = new Set(created.map(({ username }) => username))
  for (const { username } of made) if (!names.has(username)) refused.set(username, REFUSED.race)
  const valuesByName = new Map(made.map((values) => [values.username, values]))
  saved.push(
    ...created.map((one) => ({
      ...one,
      done: 'created' as const,
      changes: valueChanges(user.fields, undefined, { ...valuesByName.get(one.username) }),
    })),
  )
  await applyGroups(
    kernel,
    db,
    { source: options.source, directory: options.directory ?? null },
    saved.flatMap(({ id, username }) => {
      const groups = wanted.get(username)?.groups
      return groups ? [{ id, groups }] : []
    }),
  )
  const joining = options.org ? saved.filter(({ username }) => wanted.has(username)) : created
  const ids = joining.map(({ id }) => id)
  if (options.org) await joinAsUsers(db, ids, options.org)
  else await joinAsUsers(db, await withoutOrganization(db, ids), DEFAULT_ORG_ID)
  return changed
}

async function findPresent(db: Database, people: readonly OutsidePerson[]) {
  const byName = new Map<string, User>()
  /** Username by email address. */
  const owners = new Map<string, string>()
  if (!people.length) return { byName, owners }
  const names = new Set(people.map(({ username }) => username))
  const rows = await findUsersOf(
    db,
    [...names],
    people.map(({ email }) => email),
  )
  for (const row of rows) {
    if (names.has(row.username)) byName.set(row.username, row)
    owners.set(row.email.toLowerCase(), row.username)
  }
  return { byName, owners }
}

function refusalOf(row: User, { source, directory = null, named }: SaveOptions): string | undefined {
  // Each directory and provider has its own people; to move one, an administrator makes them local first.
  if (row.source === source && row.role !== 'App') {
    if (row.directory_id === directory) return undefined
    return source === 'ldap' ? REFUSED.directory : REFUSED.provider
  }
  if (row.role === 'App' || row.source !== 'local' || !named) return REFUSED.source
  return row.role === 'Admin' ? REFUSED.administrator : undefined
}

function valuesOf(person: OutsidePerson, { source, directory = null, named }: SaveOptions, row?: User): OutsideValues {
  const { is_active, phone } = person
  const text = (value: string) => value.replace(UNSEEN_IN_TEXT, ' ').trim().slice(0, MAX_TEXT)
  return {
    source,
    directory_id: directory,
    name: text(person.name || row?.name || person.username),
    email: person.email,
    // The source may disable a person by itself. Only an administrator enables them again, since
    // one may have disabled them here.
    is_active: row && !named ? row.is_active && is_active !== false : (is_active ?? row?.is_active ?? true),
    ...(phone && PHONE.test(phone) ? { phone } : {}),
    ...(person.wechat ? { wechat: text(person.wechat) } : {}),
    ...(person.comment ? { comment: person.comment.replaceAll('\0', ' ').slice(0, 1024) } : {}),
  }
}

function addressOf({ username, email }: OutsidePerson, suffix: string): string {
  if (isEmail(email) && email.length <= MAX_TEXT) return email
  return addressWithout(username, suffix)
}

/** The address of a person of whom the source tells none. */
export const addressWithout = (username: string, suffix: string): string =>
  `${username.replace(/[\s@<>,;:"]/g, '_')}@${suffix}`

/** Those of these people whom no group has made a member of any organization. */
async function withoutOrganization(db: Database, ids: readonly string[]): Promise<string[]> {
  if (!ids.length) return []
  const { user_id } = orgsMembership
  const rows = await db
    .selectDistinct({ user_id })
    .from(orgsMembership)
    .where(inArray(user_id, [...ids]))
  const members = new Set(rows.map((row) => row.user_id))
  return ids.filter((id) => !members.has(id))
}

/**
 * Makes members of those who are none yet. New people without any organization join Default
 * (docs/rules/users.md#user).
 */
async function joinAsUsers(db: Database, ids: readonly string[], org: string): Promise<void> {
  if (!ids.length) return
  const present = await db
    .select({ user: orgsMembership.user_id })
    .from(orgsMembership)
    .where(and(inArray(orgsMembership.user_id, [...ids]), eq(orgsMembership.org_id, org)))
  const members = new Set(present.map(({ user }) => user))
  await addMemberships(
    db,
    ids.filter((id) => !members.has(id)).map((user) => ({ org, user, role: 'User' })),
  )
}
