/** The groups that people of the directory are in, by whatever way it keeps them. */
import { setImmediate as otherWork } from 'node:timers/promises'
import {
  type Client,
  type Entry,
  EqualityFilter,
  ExtensibleFilter,
  type Filter,
  NoSuchObjectError,
  OrFilter,
} from 'ldapts'
import { boundedGroups, MAX_GROUPS } from '../group-mapping/apply.ts'
import { keyOfDn } from '../group-mapping/dn.ts'
import { LdapFailure } from './ldap-failure.ts'
import type { LdapPerson } from './person.ts'
import { type Read, valuesOf } from './ranged-values.ts'

/** What Active Directory calls itself by (MS-ADTS §3.1.1.3.4.3.1): only such servers know the rule below. */
const ACTIVE_DIRECTORY = '1.2.840.113556.1.4.800'
/** LDAP_MATCHING_RULE_IN_CHAIN: members of groups within groups too (MS-ADTS §3.1.1.3.4.4.3). */
const IN_CHAIN = '1.2.840.113556.1.4.1941'
/** Groups within groups, from the person up. */
const MAX_DEPTH = 50
const FILTERS_AT_ONCE = 100
/** No attributes (RFC 4511 §4.5.1.8). */
const NOTHING = ['1.1']
const MAX_LISTED = 100_000
const MAX_MEMBERS = 1_000_000
/** Members between which other work of this process comes in. */
const MEMBERS_AT_ONCE = 5_000

const MEMBERS = ['member', 'uniqueMember', 'memberUid'] as const

const equal = (attribute: string, value: string) => new EqualityFilter({ attribute, value })
const KINDS = ['group', 'groupOfNames', 'groupOfUniqueNames', 'posixGroup'].map((kind) => equal('objectClass', kind))

/** Where groups are, and how many entries are asked for at once; 0 for all. */
export interface GroupPlaces {
  places: readonly string[]
  pageSize: number
}

/**
 * The groups of a person: those that the entry names itself, and where the settings say where groups
 * are, those that have the person as a member, also by other groups. Undefined for more than MAX_GROUPS.
 */
export async function groupsOf(
  client: Client,
  { places, pageSize }: GroupPlaces,
  { dn, username, groups }: LdapPerson,
): Promise<string[] | undefined> {
  const found = new Groups(groups)
  if (!places.length) return boundedGroups(found.names)
  const ask = async (filters: Filter[]) => {
    const fresh: string[] = []
    for (let from = 0; from < filters.length && found.size <= MAX_GROUPS; from += FILTERS_AT_ONCE)
      for (const place of places)
        for await (const entries of pagesOf(
          client,
          place,
          pageSize,
          filters.slice(from, from + FILTERS_AT_ONCE),
          NOTHING,
        )) {
          fresh.push(...entries.map((entry) => entry.dn).filter((name) => found.add(name)))
          if (found.size > MAX_GROUPS) break
        }
    return fresh
  }
  if (await isActiveDirectory(client))
    await ask([new ExtensibleFilter({ matchType: 'member', rule: IN_CHAIN, value: dn })])
  else {
    const own = [...found.names]
    let fresh = [...own, ...(await ask([equal('member', dn), equal('uniqueMember', dn), equal('memberUid', username)]))]
    for (let depth = 0; fresh.length && found.size <= MAX_GROUPS; depth++) {
      if (depth === MAX_DEPTH) throw new LdapFailure('Groups lie within groups too deep')
      fresh = await ask(fresh.flatMap((name) => [equal('member', name), equal('uniqueMember', name)]))
    }
  }
  return boundedGroups(found.names)
}

async function isActiveDirectory(client: Client): Promise<boolean> {
  const { searchEntries } = await client.search('', {
    scope: 'base',
    filter: '(objectClass=*)',
    attributes: ['supportedCapabilities'],
  })
  return [searchEntries[0]?.supportedCapabilities ?? []].flat().map(String).includes(ACTIVE_DIRECTORY)
}

/** Names of groups, each once, however it is written. */
class Groups {
  readonly #byKey = new Map<string, string>()
  constructor(names: readonly string[] = []) {
    for (const name of names) this.add(name)
  }
  /** Whether it was not there yet. */
  add(name: string): boolean {
    const key = keyOfDn(name)
    if (key === undefined || this.#byKey.has(key)) return false
    this.#byKey.set(key, name)
    return true
  }
  get names(): Iterable<string> {
    return this.#byKey.values()
  }
  get size(): number {
    return this.#byKey.size
  }
}

/**
 * The groups of everybody, from one list of all groups with their members: asking for each person would
 * take as many questions as there are people.
 */
export async function groupsOfAll(
  client: Client,
  where: GroupPlaces,
  people: readonly LdapPerson[],
): Promise<LdapPerson[]> {
  const known = where.places.length ? await listedGroups(client, where) : undefined
  return people.map((person) => ({ ...person, groups: known ? boundedGroups(allOf(known, person)) : person.groups }))
}

/** Groups by the keys of their members' names, and by user names. */
interface Listed {
  byMember: ReadonlyMap<string, readonly string[]>
  byUsername: ReadonlyMap<string, readonly string[]>
}

function* allOf({ byMember, byUsername }: Listed, { dn, username, groups = [] }: LdapPerson): Generator<string> {
  const seen = new Set<string>()
  const waiting = [...groups, ...(byMember.get(keyOfDn(dn) ?? '') ?? []), ...(byUsername.get(username) ?? [])]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const key = keyOfDn(name)
    if (key === undefined || seen.has(key)) continue
    seen.add(key)
    yield name
    waiting.push(...(byMember.get(key) ?? []))
  }
}

async function listedGroups(client: Client, { places, pageSize }: GroupPlaces): Promise<Listed> {
  const byMember = new Map<string, string[]>()
  const byUsername = new Map<string, string[]>()
  const seen = new Set<string>()
  let members = 0
  const put = (index: Map<string, string[]>, key: string, group: string) => {
    const there = index.get(key)
    if (there) there.push(group)
    else index.set(key, [group])
  }
  for (const place of places)
    for await (const entries of pagesOf(client, place, pageSize, KINDS, [...MEMBERS]))
      for (const entry of entries) {
        // One place may lie within another.
        const key = keyOfDn(entry.dn)
        if (key === undefined || seen.has(key)) continue
        seen.add(key)
        if (seen.size > MAX_LISTED)
          throw new LdapFailure('There are more than {{max}} groups: narrow their OU', { max: MAX_LISTED })
        for (const attribute of MEMBERS) {
          for (const value of await valuesOf(reading(client, entry.dn), entry, attribute, MAX_MEMBERS - members)) {
            if (++members > MAX_MEMBERS)
              throw new LdapFailure('The groups have more than {{max}} members: narrow their OU', { max: MAX_MEMBERS })
            if (members % MEMBERS_AT_ONCE === 0) await otherWork()
            if (attribute === 'memberUid') put(byUsername, value, entry.dn)
            else {
              // Behind the name there may be a number (RFC 4517 §3.3.21).
              const member = keyOfDn(attribute === 'uniqueMember' ? value.replace(/#'[01]*'B$/, '') : value)
              if (member !== undefined) put(byMember, member, entry.dn)
            }
          }
        }
      }
  return { byMember, byUsername }
}

/** How further values of an entry are read. */
export const reading =
  (client: Client, dn: string): Read =>
  async (attribute) =>
    (await client.search(dn, { scope: 'base', filter: '(objectClass=*)', attributes: [attribute] })).searchEntries[0]

/** Pages of the entries in a place for which one of the filters is true. */
async function* pagesOf(
  client: Client,
  place: string,
  pageSize: number,
  filters: Filter[],
  attributes: string[],
): AsyncGenerator<Entry[]> {
  const options = { scope: 'sub' as const, filter: new OrFilter({ filters }), attributes }
  try {
    if (!pageSize) yield (await client.search(place, options)).searchEntries
    else
      for await (const page of client.searchPaginated(place, { ...options, paged: { pageSize } }))
        yield page.searchEntries
  } catch (error) {
    if (error instanceof NoSuchObjectError) throw new LdapFailure('The OU {{ou}} does not exist', { ou: place }, error)
    throw error
  }
}
