import { WIRE } from '@sallyport/contract/constants.ts'
import { api, setRequestOrg } from '../lib/api.ts'
import { writeCookie } from '../lib/cookies.ts'
import { storeRole } from './roles.ts'
import type { Org } from './session.ts'

const CURRENT_ORG_PATH = '/api/v1/orgs/orgs/current/'
const key = (username: string) => `jms_current_org_${username}`

/** The organization this person used last (A6.30). */
export function storedOrg(username: string): Org | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key(username)) ?? 'null')
    return typeof value === 'object' && value !== null && 'id' in value ? (value as Org) : undefined
  } catch {
    return undefined
  }
}

/**
 * Stores the organization for this person, in the cookie that other front ends follow, and for
 * every later call.
 */
export function keepOrg(username: string, org: Org): void {
  localStorage.setItem(key(username), JSON.stringify({ id: org.id, name: org.name }))
  writeCookie(WIRE.orgCookie, org.id, 365)
  setRequestOrg(org.id)
}

/** Asks the server for the current organization; `oid` makes it another one. */
export function readCurrentOrg(oid?: string): Promise<Org> {
  return api.get<Org>(CURRENT_ORG_PATH, { query: { oid }, quiet: true })
}

/**
 * Where to go after the organization changed: an address that holds an object's id would show
 * another organization's object.
 */
function addressAfterSwitch(path: string, search: string): string {
  const query = new URLSearchParams(search)
  query.delete('oid')
  const rest = query.toString()
  return /[0-9a-f-]{36}/i.test(path + rest) ? '/ui/' : path + (rest ? `?${rest}` : '')
}

/** Changes the organization, forgets the stored role and reloads the page (A6.31). */
export async function switchOrg(username: string, org: Org): Promise<void> {
  await readCurrentOrg(org.id)
  keepOrg(username, org)
  storeRole(username, undefined)
  location.assign(addressAfterSwitch(location.pathname, location.search))
}
