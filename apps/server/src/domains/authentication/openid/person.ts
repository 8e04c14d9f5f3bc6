import { and, eq, ne, sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { usersUser } from '../../users/index.ts'
import { type OutsidePerson, REFUSED, savePeople } from '../outside-people.ts'
import { nameClaim, type Proof } from './redeem.ts'
import { authenticationOpenidAccount } from './tables.ts'

/** OpenID Connect Core 1.0 §2 `sub`. */
const MAX_SUBJECT = 255

/** Why a person whom the provider knows is nobody here; `reason` is a word of the login log. */
export interface Refused {
  username: string
  reason: 'backend_not_match' | 'user_invalid'
  text: string
  values: Record<string, unknown>
}

/**
 * The person here whom a provider's proof is of: made at the first sign-in where that is allowed, brought up to date at every one.
 * Known by issuer and subject: a name or an address that the provider gives out anew opens nobody else's account.
 */
export async function personOf(kernel: Kernel, issuer: string, proof: Proof): Promise<{ userId: string } | Refused> {
  const { db } = kernel
  const settings = settingsOf(kernel)
  const { subject } = proof
  const tied = await tiedTo(kernel, issuer, subject)
  const person = describe(kernel, proof)
  // Whoever is here keeps the name that permissions and logs know.
  const username = tied?.username ?? person.username
  const refuse = (text: string): Refused => ({
    username,
    reason: text === REFUSED.source ? 'backend_not_match' : 'user_invalid',
    text,
    values: { email: person.email },
  })
  if (subject.length > MAX_SUBJECT) return refuse(REFUSED.username)
  if (!tied) {
    const [other] = await db
      .select({ id: usersUser.id })
      .from(usersUser)
      .innerJoin(authenticationOpenidAccount, eq(authenticationOpenidAccount.user_id, usersUser.id))
      .where(eq(usersUser.username, username))
    if (other) return refuse(TIED)
    // Nobody whose name only looks like another's.
    const [alike] = await db
      .select({ id: usersUser.id })
      .from(usersUser)
      .where(and(sql`lower(${usersUser.username}) = lower(${username})`, ne(usersUser.username, username)))
      .limit(1)
    if (alike) return refuse(REFUSED.source)
  }
  const { saved, refused } = await savePeople(kernel, [{ ...person, username }], {
    source: 'openid',
    create: !tied && !settings.get('ONLY_ALLOW_EXIST_USER_AUTH'),
    update: settings.get('AUTH_OPENID_ALWAYS_UPDATE_USER'),
  })
  const [row] = saved
  if (!row) return refuse(refused.values().next().value ?? REFUSED.race)
  if (tied) return { userId: row.id }
  await db.insert(authenticationOpenidAccount).values({ issuer, subject, user_id: row.id }).onConflictDoNothing()
  // Two browsers may have come at once.
  return (await tiedTo(kernel, issuer, subject))?.id === row.id ? { userId: row.id } : refuse(TIED)
}

const TIED = 'The person of this name belongs to another account of the sign-in provider'

async function tiedTo({ db }: Kernel, issuer: string, subject: string): Promise<{ id: string; username: string } | undefined> {
  const [row] = await db
    .select({ id: usersUser.id, username: usersUser.username })
    .from(authenticationOpenidAccount)
    .innerJoin(usersUser, eq(usersUser.id, authenticationOpenidAccount.user_id))
    .where(and(eq(authenticationOpenidAccount.issuer, issuer), eq(authenticationOpenidAccount.subject, subject)))
  return row
}

function describe(kernel: Kernel, { claims, subject }: Proof): OutsidePerson {
  const settings = settingsOf(kernel)
  const map = settings.get('AUTH_OPENID_USER_ATTR_MAP')
  const text = (claim: unknown) => (typeof claim === 'string' && typeof claims[claim] === 'string' ? claims[claim].trim() : '')
  const phone = text(map.phone)
  return {
    username: text(nameClaim(settings)) || subject,
    name: text(map.name),
    // What the provider itself does not vouch for may be somebody else's.
    email: claims.email_verified === false ? '' : text(map.email),
    ...(phone ? { phone } : {}),
  }
}
