import { api } from '../../lib/api.ts'

/** Somebody or something by name. */
export interface Named {
  id: string
  name: string
}

interface Right {
  person: Named
  target: Named
  account: Named
}

interface Rights<More> {
  count: number
  people: number
  targets: number
  rows: (Right & More)[]
}

/** How rules judge a right: who confirms, or which filters there are; null: nobody, none. */
export interface Judgement {
  before: string[] | null
  after: string[] | null
}

/** Rights that rules judge from then on, no longer, or in another way. */
interface Judged {
  is_exact: boolean
  touched: { people: number; targets: number }
  begin: Rights<Judgement>
  end: Rights<Judgement>
  others: Rights<Judgement>
}

interface Touched {
  count: number
  rows: Named[]
}

/** What a change does to rights, as the server tells it (`?preview=true`). */
export interface ChangeEffects {
  is_exact: boolean
  /** Names are there where the rights are too many to be compared. */
  touched: { people: number; targets: number; rights_at_most: number; people_rows?: Named[]; target_rows?: Named[] }
  gained: Rights<{ actions: string[] }>
  lost: Rights<{ actions: string[] }>
  changed: Rights<{
    gained_actions: string[]
    lost_actions: string[]
    /** The databases of the server that it leads to, where they become others; null: all. */
    databases: { before: string[] | null; after: string[] | null } | null
    /** Where connections may be forwarded to, where that becomes something else. */
    forwarding: { before: string[]; after: string[] } | null
  }>
  roles: { count: number; rows: { person: Named }[] }
  /** People who come into user groups, or leave them. */
  places: { count: number; rows: { person: Named; gained: string[]; lost: string[] }[] }
  sessions_end: { count: number; rows: { id: string; user: string; asset: string; system_user: string }[] }
  tickets: Touched
  schedules: Touched
  plans: Touched
  confirmations: Judged
  commands: Judged
  self: { gained: number; lost: number; changed: number }
  last_administrator: { system: boolean; organizations: Named[] }
}

/** A call that would change something. */
export interface ChangeCall {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  address: string
  body?: unknown
}

/** Asks what the call would do; nothing is changed. */
export function askEffects({ method, address, body }: ChangeCall, signal: AbortSignal): Promise<ChangeEffects> {
  const [path = '', query] = address.split('?')
  const asked = `${path}?${query ? `${query}&` : ''}preview=true`
  const options = { quiet: true, signal }
  if (method === 'DELETE') return api.delete<ChangeEffects>(asked, options)
  const call = { POST: api.post<ChangeEffects>, PUT: api.put<ChangeEffects>, PATCH: api.patch<ChangeEffects> }[method]
  return call(asked, body, options)
}

/** Whether it changes nothing about who may do what. */
export const isIdle = ({ is_exact, confirmations, commands, ...effects }: ChangeEffects): boolean =>
  is_exact &&
  Object.values(effects).every((part) => !('count' in part) || part.count === 0) &&
  [confirmations, commands].every(
    (rules) => rules.is_exact && [rules.begin, rules.end, rules.others].every(({ count }) => count === 0),
  )
