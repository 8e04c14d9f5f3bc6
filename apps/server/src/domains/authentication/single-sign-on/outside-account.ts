import { and, eq } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isDirectoryOffError } from '../../users/directories/index.ts'
import { findUsers, usersAccount, usersPerson } from '../../users/index.ts'
import { type OutsidePerson, REFUSED, savePeople } from '../outside-people.ts'
import { authenticationOutsideAccount, type OutsideSession } from '../tables.ts'

/**
 * OpenID Connect Core 1.0 §2 `sub`; SAML 2.0 Core §8.3.7 sets a similar limit for persistent names.
 */
const MAX_SUBJECT = 255

/** Somebody whom a provider has proven, and what it tells of them. */
export interface OutsideAccount {
  source: OutsideSession['source']
  /** The provider; with `kind` and `subject`, what a person is known by. */
  issuer: string
  /** Whether `subject` is the provider's own name for a person, or their user name: one may read as the other. */
  kind: 'subject' | 'username'
  subject: string
  person: OutsidePerson
  /** The id of a further provider, whose own the person is; null for that of the settings. */
  provider: string | null
  /** The user name is an address that nobody has verified: it opens and makes no account. */
  isNameUnproven?: boolean
  /** Whether somebody who is not here yet is made, and somebody who is here updated. */
  create: boolean
  update: boolean
}

/** Why a person whom the provider knows can't sign in here; `reason` is one of the login log. */
export interface Refused {
  username: string
  reason: 'backend_not_match' | 'user_invalid'
  text: string
  values: Record<string, unknown>
}

/**
 * The person here whom a provider has proven: made at the first sign-in where that is allowed,
 * updated at every one. People are recognized by provider and subject, so a name or address that
 * the provider reassigns opens nobody else's account.
 */
export async function personOf(kernel: Kernel, account: OutsideAccount): Promise<{ userId: string } | Refused> {
  const { db } = kernel
  const { source, kind, subject, person, provider, isNameUnproven, create, update } = account
  const tied = await tiedTo(kernel, account)
  // People who are here keep their user name, which permissions and logs refer to.
  const username = tied?.username ?? person.username
  const refuse = (text: string): Refused => ({
    username,
    reason: text === REFUSED.source ? 'backend_not_match' : 'user_invalid',
    text,
    values: { email: person.email },
  })
  if (!subject || subject.length > MAX_SUBJECT) return refuse(REFUSED.username)
  if (!tied) {
    if (isNameUnproven) return refuse(UNPROVEN)
    const [other] = await db
      .select({ id: usersPerson.id })
      .from(usersPerson)
      .innerJoin(authenticationOutsideAccount, eq(authenticationOutsideAccount.user_id, usersPerson.id))
      .where(and(eq(usersPerson.username, username), eq(usersPerson.source, source)))
    if (other) return refuse(TIED)
    // Nor may the name differ from somebody else's in case alone.
    const alike = await findUsers(db, { similarTo: username })
    if (alike.some((user) => user.username !== username)) return refuse(REFUSED.source)
  }
  const { saved, refused } = await savePeople(kernel, [{ ...person, username }], {
    source,
    directory: provider,
    create: !tied && create,
    update,
  }).catch((error) => {
    // It was switched off after it had been asked.
    if (!isDirectoryOffError(error)) throw error
    return { saved: [], refused: new Map([[username, REFUSED.off]]) }
  })
  const [row] = saved
  if (!row) return refuse(refused.values().next().value ?? REFUSED.race)
  if (tied) return { userId: row.id }
  await db
    .insert(authenticationOutsideAccount)
    .values({ source, issuer: issuerIn(account), kind, subject, user_id: row.id })
    .onConflictDoNothing()
  // Two browsers may have come at the same time.
  return (await tiedTo(kernel, account))?.id === row.id ? { userId: row.id } : refuse(TIED)
}

const UNPROVEN = 'The sign-in provider does not say that this email address, which is the user name here, is verified'
const TIED = 'The person of this name belongs to another account of the sign-in provider'

/** Each provider has a space of names of its own, whatever it calls itself: an id with a space is in no address. */
const issuerIn = ({ issuer, provider }: OutsideAccount) => (provider === null ? issuer : `${provider} ${issuer}`)

async function tiedTo({ db }: Kernel, account: OutsideAccount): Promise<{ id: string; username: string } | undefined> {
  const { source, kind, subject } = account
  const [row] = await db
    .select({ id: usersAccount.id, username: usersAccount.username })
    .from(authenticationOutsideAccount)
    .innerJoin(usersAccount, eq(usersAccount.id, authenticationOutsideAccount.user_id))
    .where(
      and(
        eq(authenticationOutsideAccount.source, source),
        eq(authenticationOutsideAccount.issuer, issuerIn(account)),
        eq(authenticationOutsideAccount.kind, kind),
        eq(authenticationOutsideAccount.subject, subject),
      ),
    )
  return row
}
