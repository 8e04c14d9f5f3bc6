import { eq, sql } from 'drizzle-orm'
import { hashKey } from '../../../kernel/access/random-secret.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { authenticationConnectionToken } from '../tables.ts'
import { type AdmittedByToken, holderOfToken } from './admit.ts'

/**
 * For so long after its last connection a token opens another
 * (docs/rules/authentication.md#connection_token).
 */
const GRACE_SECONDS = 300

/**
 * As `admitByToken`, for client programs that open several connections, such as those of databases:
 * the first in time, further ones while one lives and a while after. Each must renew the token while
 * it lives (`renewToken`).
 */
export async function admitClientByToken(
  kernel: Kernel,
  token: string,
  remoteAddress: string,
): Promise<AdmittedByToken | undefined> {
  const holder = await holderOfToken(kernel, token, remoteAddress)
  return holder && (await renewToken(kernel, token)) ? holder : undefined
}

/** A connection that it opened lives. False when it was revoked or has expired. */
export async function renewToken({ db }: Pick<Kernel, 'db'>, token: string): Promise<boolean> {
  const { token_hash, date_expired, date_used } = authenticationConnectionToken
  const renewed = await db
    .update(authenticationConnectionToken)
    .set({
      date_used: sql`coalesce(${date_used}, now())`,
      date_expired: sql`greatest(${date_expired}, now() + make_interval(secs => ${GRACE_SECONDS}))`,
    })
    .where(sql`${token_hash} = ${hashKey(token)} AND ${date_expired} > now()`)
    .returning({ date_used })
  return renewed.length > 0
}

/** Nobody connects with it any more. */
export async function revokeToken({ db }: Pick<Kernel, 'db'>, token: string): Promise<void> {
  await db.delete(authenticationConnectionToken).where(eq(authenticationConnectionToken.token_hash, hashKey(token)))
}
