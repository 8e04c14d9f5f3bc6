import { and, eq } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { findUsers, usersAccount, usersPerson } from '../../users/index.ts'
import { type OutsidePerson, REFUSED, savePeople } from '../outside-people.ts'
import { authenticationOutsideAccount, type OutsideSession } from '../tables.ts'

/** OpenID Connect Core 1.0 §2 `sub`; SAML 2.0 Core §8.3.7 asks for as much of a persistent name. */
const MAX_SUBJECT = 255

/** Somebody whom a provider has proven, and what it says of them. */
export interface OutsideAccount {
  source: OutsideSession['source']
  /** The provider; with `subject`, what a person is known by. */
  issuer: string
  subject: string
  person: OutsidePerson
  /** Whether somebody who is not here yet is made, and somebody who is here brought up to date. */
  create: boolean
  update: boolean
}

/** Why a person whom the provider knows is nobody here; `reason` is a word of the login log. */
export interface Refused {
  username: string
  reason: 'backend_not_match' | 'user_invalid'
  text: string
  values: Record<string, unknown>
}

/**
 * The person here whom a provider's proof is of: made at the first sign-in where that is allowed,
 * brought up to date at every one. Known by provider and subject: a name or an address that the
 * provider gives out anew opens nobody else's account.
 */
export async function personOf(kernel: Kernel, account: OutsideAccount): Promise<{ userId: string } | Refused> {
  const { db } = kernel
  const { source, issuer, subject, person, create, update } = account
  const tied = await tiedTo(kernel, account)
  // Whoever is here keeps the name that permissions and logs know.
  const username = tied?.username ?? person.username
  const refuse = (text: string): Refused => ({
    username,
    reason: text === REFUSED.source ? 'backend_not_match' : 'user_invalid',
    text,
    values: { email: person.email },
  })
  if (!subject || subject.length > MAX_SUBJECT) return refuse(REFUSED.username)
  if (!tied) {
    const [other] = await db
      .select({ id: usersPerson.id })
      .from(usersPerson)
      .innerJoin(authenticationOutsideAccount, eq(authenticationOutsideAccount.user_id, usersPerson.id))
      .where(and(eq(usersPerson.username, username), eq(usersPerson.source, source)))
    if (other) return refuse(TIED)
    // Nobody whose name only looks like another's.
    const alike = await findUsers(db, { similarTo: username })
    if (alike.some((user) => user.username !== username)) return refuse(REFUSED.source)
  }
  const { saved, refused } = await savePeople(kernel, [{ ...person, username }], {
    source,
    create: !tied && create,
    update,
  })
  const [row] = saved
  if (!row) return refuse(refused.values().next().value ?? REFUSED.race)
  if (tied) return { userId: row.id }
  await db
    .insert(authenticationOutsideAccount)
    .values({ source, issuer, subject, user_id: row.id })
    .onConflictDoNothing()
  // Two browsers may have come at once.
  return (await tiedTo(kernel, account))?.id === row.id ? { userId: row.id } : refuse(TIED)
}

const TIED = 'The person of this name belongs to another account of the sign-in provider'

async function tiedTo(
  { db }: Kernel,
  { source, issuer, subject }: OutsideAccount,
): Promise<{ id: string; username: string } | undefined> {
  const [row] = await db
    .select({ id: usersAccount.id, username: usersAccount.username })
    .from(authenticationOutsideAccount)
    .innerJoin(usersAccount, eq(usersAccount.id, authenticationOutsideAccount.user_id))
    .where(
      and(
        eq(authenticationOutsideAccount.source, source),
        eq(authenticationOutsideAccount.issuer, issuer),
        eq(authenticationOutsideAccount.subject, subject),
      ),
    )
  return row
}
