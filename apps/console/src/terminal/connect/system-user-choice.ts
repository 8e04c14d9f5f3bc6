/**
 * Which system users a person may choose from, and when there is nothing to ask (contract
 * web-terminal, connect).
 */
import { DESKTOP_PROTOCOLS, TEXT_PROTOCOLS } from '../text-protocols.ts'

/** What this page can show. */
const SHOWN: ReadonlySet<string> = new Set([...TEXT_PROTOCOLS, ...DESKTOP_PROTOCOLS])

/** A row of `/api/v1/perms/users/{assets|applications}/{id}/system-users/`. */
export interface SystemUser {
  id: string
  name: string
  username: string
  /** The lower number wins. */
  priority: number
  protocol: string
  login_mode: 'auto' | 'manual'
  username_same_with_user?: boolean
}

/**
 * Only the entries with the lowest priority number of all count; of those, the ones that this page
 * can show.
 */
export function usableSystemUsers(all: readonly SystemUser[]): SystemUser[] {
  const best = Math.min(...all.map(({ priority }) => priority))
  return all.filter(({ priority, protocol }) => priority === best && SHOWN.has(protocol))
}

export type Decision =
  | { kind: 'none' }
  | { kind: 'unsupported' }
  | { kind: 'connect'; systemUser: SystemUser }
  | { kind: 'ask'; choices: SystemUser[]; preselected: SystemUser }

export interface DecisionInput {
  granted: readonly SystemUser[]
  /** Preselected by the address; the others are on offer when it is not among them. */
  wanted?: string | null | undefined
  /** The system user of the last choice that was to be repeated without asking. */
  remembered?: string | undefined
  /** The system user last used for this target. */
  lastUsed?: string | undefined
  /** Whether a system user can be connected with in one way only, or the way is remembered as well. */
  isSettled?: (systemUser: SystemUser) => boolean
}

/**
 * Decides whether to connect at once, to ask, or to refuse. A manual sign-in always asks: passwords
 * are not kept in the browser.
 */
export function decide(input: DecisionInput): Decision {
  const { granted, wanted, remembered, lastUsed, isSettled = () => true } = input
  if (granted.length === 0) return { kind: 'none' }
  const usable = usableSystemUsers(granted)
  const named = usable.find(({ id }) => id === wanted)
  const choices = named ? [named] : usable
  const [first] = choices
  if (!first) return { kind: 'unsupported' }
  const repeated = choices.find(({ id }) => id === remembered) ?? (choices.length === 1 ? first : undefined)
  if (repeated?.login_mode === 'auto' && isSettled(repeated)) return { kind: 'connect', systemUser: repeated }
  return { kind: 'ask', choices, preselected: repeated ?? choices.find(({ id }) => id === lastUsed) ?? first }
}

/**
 * The words for the person: `name(username)`, `*` where the sign-in name is the person's own or
 * unknown.
 */
export function systemUserLabel({ name, username, username_same_with_user }: SystemUser): string {
  return `${name}(${username_same_with_user || !username ? '*' : username})`
}

export interface ChoiceGroup {
  /** Protocol, or undefined for the group of the last used one. */
  protocol: string | undefined
  users: SystemUser[]
}

/** Groups by protocol; the last used one comes first in a group of its own. */
export function groupSystemUsers(choices: readonly SystemUser[], lastUsed?: string): ChoiceGroup[] {
  const groups = new Map<string, SystemUser[]>()
  for (const user of choices) groups.set(user.protocol, [...(groups.get(user.protocol) ?? []), user])
  const last = choices.find(({ id }) => id === lastUsed)
  return [
    ...(last ? [{ protocol: undefined, users: [last] }] : []),
    ...[...groups]
      .map(([protocol, users]) => ({ protocol, users: users.filter((user) => user !== last) }))
      .filter(({ users }) => users.length > 0),
  ]
}
