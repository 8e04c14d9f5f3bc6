import { readFile } from 'node:fs/promises'
import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { Settings } from '@sallyport/contract/settings/index.ts'
import { Client, type Entry, NoSuchObjectError, ResultCodeError, SizeLimitExceededError } from 'ldapts'
import { bareHost } from '../../../kernel/bare-host.ts'
import { inTime } from '../../../kernel/in-time.ts'
import { judgedPlace } from '../../../kernel/outbound/judged-lookup.ts'
import { MAX_GROUPS } from '../group-mapping/apply.ts'
import { groupsOf, groupsOfAll, reading } from './groups.ts'
import type { IsKnownEntry } from './known-entries.ts'
import { asLdapFailure, LdapFailure, SeveralFound } from './ldap-failure.ts'
import { type AttributeMap, type LdapPerson, nameInPlace, readAttributeMap, readPerson } from './person.ts'
import { valuesOf } from './ranged-values.ts'
import { searchFilter } from './search-filter.ts'

export type LdapSettings = Pick<
  Settings,
  | 'AUTH_LDAP_SERVER_URI'
  | 'AUTH_LDAP_BIND_DN'
  | 'AUTH_LDAP_BIND_PASSWORD'
  | 'AUTH_LDAP_SEARCH_OU'
  | 'AUTH_LDAP_SEARCH_FILTER'
  | 'AUTH_LDAP_GROUP_SEARCH_OU'
  | 'AUTH_LDAP_USER_ATTR_MAP'
  | 'AUTH_LDAP_CONNECT_TIMEOUT'
  | 'AUTH_LDAP_SEARCH_PAGED_SIZE'
  | 'AUTH_LDAP_START_TLS'
  | 'AUTH_LDAP_TLS_CA_FILE'
> & {
  /** Certificates of the authority themselves, in place of a file. */
  ca?: string
}

/** A directory, to which we are bound as the bind DN. */
export interface Directory {
  /**
   * The entry that the filter finds for a name. Throws LdapFailure when it finds several people.
   */
  find(username: string, isKnown: IsKnownEntry): Promise<LdapPerson | undefined>
  /**
   * All people that the filter finds, with their groups; of a name that several bear nobody whose it is
   * not.
   */
  list(isKnown: IsKnownEntry): Promise<LdapPerson[]>
  /**
   * Whether the password is that of the entry. Afterwards the connection is of no use for anything
   * but the groups of the person.
   */
  isPassword(dn: string, password: string): Promise<boolean>
  /**
   * The groups of a person whom it has found, read as the bind DN again. Undefined where there are too
   * many to keep.
   */
  groupsOf(person: LdapPerson): Promise<string[] | undefined>
}

export const MAX_PEOPLE = 100_000
/** Time limits of a sign-in or test, and of listing everybody. */
const SHORT_MS = 30_000
const LONG_MS = 300_000

/**
 * Connects, starts TLS where the settings say so, and binds as the bind DN. The connection is
 * closed when `work` is done or takes too long. Certificates are always verified. Throws
 * LdapFailure.
 */
export async function withDirectory<T>(
  settings: LdapSettings,
  work: (directory: Directory) => Promise<T>,
  { long = false } = {},
): Promise<T> {
  const url = serverUrl(settings.AUTH_LDAP_SERVER_URI)
  const tls = await tlsOptions(settings, bareHost(url.hostname))
  const connectMs = settings.AUTH_LDAP_CONNECT_TIMEOUT * 1000
  const limitMs = Math.max(long ? LONG_MS : SHORT_MS, connectMs)
  let socket: Socket | undefined
  const keep = <S extends Socket>(opened: S): S => {
    socket = opened
    return opened
  }
  const client = new Client({
    url: url.href,
    connectTimeout: connectMs,
    timeout: long ? limitMs : connectMs,
    ...(url.protocol === 'ldaps:' ? { tlsOptions: tls } : {}),
    // Otherwise the library would reconnect when the server hangs up, unencrypted and anonymous.
    createConnection: ((port: number, host: string) =>
      keep(once(socket) ?? connect(judgedPlace({ host, port })))) as typeof connect,
    createSecureConnection: ((...given: [ConnectionOptions] | [number, string, ConnectionOptions]) =>
      given.length === 1
        ? connectTls(given[0])
        : keep(
            once(socket) ?? connectTls({ ...given[2], ...judgedPlace({ port: given[0], host: given[1] }) }),
          )) as unknown as typeof connectTls,
  })
  const late = () => new LdapFailure('The LDAP server does not answer')
  const begin = async () => {
    if (settings.AUTH_LDAP_START_TLS && url.protocol === 'ldap:') await client.startTLS(tls)
    await bindAsReader(client, settings)
  }
  const steps = async () => {
    // Connecting, encryption and bind: it is the list alone that may take long.
    await inTime(begin(), 3 * connectMs, late)
    return work(directoryOf(client, settings, readAttributeMap(settings.AUTH_LDAP_USER_ATTR_MAP)))
  }
  try {
    return await inTime(steps(), limitMs, late)
  } catch (error) {
    throw asLdapFailure(error)
  } finally {
    // Errors after the end have no other listener, and would end the process.
    socket?.on('error', () => {})
    socket?.destroy()
  }
}

/** Throws if there has been a connection already. */
function once(socket: Socket | undefined): undefined {
  if (socket) throw new LdapFailure('The LDAP server ended the connection')
}

function serverUrl(text: string): URL {
  const url = URL.parse(text.trim())
  if (!url || !/^ldaps?:$/.test(url.protocol) || !url.hostname)
    throw new LdapFailure('The address of the LDAP server begins with ldap:// or ldaps://')
  return url
}

async function tlsOptions(
  { AUTH_LDAP_TLS_CA_FILE: file, ca: text }: LdapSettings,
  host: string,
): Promise<ConnectionOptions> {
  const ca = file
    ? await readFile(file).catch((error: Error) => {
        throw new LdapFailure(
          'The file with the certificates of the LDAP server cannot be read ({{detail}})',
          { detail: error.message },
          error,
        )
      })
    : text
  return { host, rejectUnauthorized: true, ...(isIP(host) ? {} : { servername: host }), ...(ca ? { ca } : {}) }
}

async function bindAsReader(
  client: Client,
  { AUTH_LDAP_BIND_DN: dn, AUTH_LDAP_BIND_PASSWORD: password }: LdapSettings,
): Promise<void> {
  // A bind with a name and no password is anonymous, and succeeds (RFC 4513 §5.1.2).
  if (dn && !password) throw new LdapFailure('Enter the password of the bind DN')
  if (dn) await client.bind(dn, password)
}

function directoryOf(client: Client, settings: LdapSettings, map: AttributeMap): Directory {
  const attributes = [...new Set([...Object.values(map), MEMBER_OF])]
  const places = partsOf(settings.AUTH_LDAP_SEARCH_OU)
  if (!places.length) throw new LdapFailure('Enter the OU of the users')
  const size = settings.AUTH_LDAP_SEARCH_PAGED_SIZE
  const groupPlaces = { places: partsOf(settings.AUTH_LDAP_GROUP_SEARCH_OU), pageSize: size }
  const personOf = async (entry: Entry): Promise<LdapPerson | undefined> => {
    const person = readPerson(entry, map)
    return person && { ...person, groups: await valuesOf(reading(client, entry.dn), entry, MEMBER_OF, MAX_GROUPS) }
  }

  /**
   * The owner of a name that several entries have, as people may write it into their own: the entry
   * that is named by it, else the one by which this person is known. Undefined where that is not
   * clear.
   */
  const ownerOf = (people: readonly LdapPerson[], username: string, isKnown: IsKnownEntry): LdapPerson | undefined => {
    if (people.length <= 1) return people[0]
    const isNamed = ({ dn }: LdapPerson) =>
      nameInPlace(dn, map.username ?? '')?.toLowerCase() === username.toLowerCase()
    const named = people.filter(isNamed)
    const owners = named.length ? named : people.filter(({ dn }) => isKnown(dn, username))
    return owners.length === 1 ? owners[0] : undefined
  }

  /** Pages of entries below one OU; at most `limit` entries. */
  async function* entriesIn(place: string, username: string | undefined, limit: number): AsyncGenerator<Entry[]> {
    const filter = searchFilter(settings.AUTH_LDAP_SEARCH_FILTER, username)
    const options = { scope: 'sub' as const, filter, attributes }
    try {
      if (username !== undefined || !size)
        yield (await client.search(place, { ...options, sizeLimit: limit })).searchEntries
      else
        for await (const page of client.searchPaginated(place, { ...options, paged: { pageSize: size } }))
          yield page.searchEntries
    } catch (error) {
      if (error instanceof SizeLimitExceededError && username !== undefined) throw severalFound(error)
      if (error instanceof NoSuchObjectError)
        throw new LdapFailure('The OU {{ou}} does not exist', { ou: place }, error)
      throw error
    }
  }
  return {
    async find(username, isKnown) {
      const found = new Map<string, LdapPerson>()
      for (const place of places) {
        for await (const entries of entriesIn(place, username, MAX_MEANT)) {
          for (const entry of entries) {
            const person = await personOf(entry)
            // One OU may lie within another, and an entry be found twice.
            if (person) found.set(entry.dn.toLowerCase(), person)
          }
        }
      }
      const people = [...found.values()]
      if (people.length > 1 && !ownerOf(people, username, isKnown)) throw severalFound()
      return ownerOf(people, username, isKnown)
    },
    async list(isKnown) {
      const people = new Map<string, Map<string, LdapPerson>>()
      let count = 0
      for (const place of places) {
        for await (const entries of entriesIn(place, undefined, MAX_PEOPLE)) {
          for (const entry of entries) {
            const person = await personOf(entry)
            if (!person) continue
            const ofName = people.get(person.username) ?? new Map<string, LdapPerson>()
            people.set(person.username, ofName)
            if (!ofName.has(entry.dn.toLowerCase())) count++
            ofName.set(entry.dn.toLowerCase(), person)
          }
          if (count > MAX_PEOPLE)
            throw new LdapFailure('There are more than {{max}} people: narrow the OU or the filter', {
              max: MAX_PEOPLE,
            })
        }
      }
      const found = [...people].flatMap(([username, ofName]) => ownerOf([...ofName.values()], username, isKnown) ?? [])
      return groupsOfAll(client, groupPlaces, found)
    },
    async isPassword(dn, password) {
      // As in `bindAsReader`: an empty password would let anybody in.
      if (password === '' || dn === '') return false
      try {
        await client.bind(dn, password)
        return true
      } catch (error) {
        if (error instanceof ResultCodeError && REFUSALS.has(error.code)) return false
        throw error
      }
    },
    async groupsOf(person) {
      await bindAsReader(client, settings)
      return groupsOf(client, groupPlaces, person)
    },
  }
}

/** Groups that the entry of a person names by itself. */
const MEMBER_OF = 'memberOf'

const partsOf = (list: string): string[] =>
  list
    .split('|')
    .map((part) => part.trim())
    .filter(Boolean)

/** Entries that one name may find, of which one is its owner's. */
const MAX_MEANT = 20
const severalFound = (cause?: unknown) => new SeveralFound(cause)

/**
 * Result codes by which a server refuses a person: locked, no password, wrong password, not
 * allowed, expired.
 */
const REFUSALS = new Set([19, 48, 49, 50, 53])
