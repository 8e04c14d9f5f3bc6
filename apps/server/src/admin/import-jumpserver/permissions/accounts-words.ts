import type { Login, Logins } from '../accounts/logins.ts'
import { derivedId } from '../derived-id.ts'
import type { SystemUser } from './target-groups.ts'

/** The list of accounts of a permission, read. */
export interface AccountsWords {
  usernames: ReadonlySet<string>
  /** `!name`: taken away again. */
  without: ReadonlySet<string>
  all: boolean
  /** Typed by hand. */
  input: boolean
  /** Named like the person. */
  ofPerson: boolean
  /** Without an account, as web pages have it. */
  anonymous: boolean
}

export function readAccounts(list: readonly string[]): AccountsWords {
  const plain = list.filter((one) => !one.startsWith('@') && !one.startsWith('!'))
  return {
    usernames: new Set(plain),
    without: new Set(list.filter((one) => one.startsWith('!')).map((one) => one.slice(1))),
    all: list.includes('@ALL'),
    input: list.includes('@INPUT'),
    ofPerson: list.includes('@USER'),
    anonymous: list.includes('@ANON'),
  }
}

/** A system user without a name of its own, which is made where a permission needs it. */
export interface Nameless {
  id: string
  org: string
  protocol: string
  ofPerson: boolean
}

interface Choosing {
  accounts: AccountsWords
  /** Undefined: every protocol. */
  protocols: ReadonlySet<string> | undefined
  org: string
  logins: Logins
}

/** The system users that such a permission means on one target. */
export function systemUsersOn(
  target: string,
  { accounts, protocols, org, logins }: Choosing,
): { systemUsers: SystemUser[]; nameless: Nameless[] } {
  const isMeant = ({ username, protocol }: Login) =>
    (accounts.all || accounts.usernames.has(username)) &&
    !accounts.without.has(username) &&
    (!protocols || protocols.has(protocol))
  const spoken = logins.protocolsOf(target).filter((protocol) => !protocols || protocols.has(protocol))
  const kinds = [...(accounts.input ? [false] : []), ...(accounts.ofPerson ? [true] : [])]
  const nameless = spoken.flatMap((protocol) =>
    kinds.map((ofPerson) => ({ id: derivedId(ofPerson ? '@USER' : '@INPUT', org, protocol), org, protocol, ofPerson })),
  )
  const named = logins.on(target).filter(isMeant)
  return { systemUsers: [...named, ...nameless].map(({ id, protocol }) => ({ id, protocol })), nameless }
}
