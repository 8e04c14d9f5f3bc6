import { createHash, createHmac, randomBytes } from 'node:crypto'
import { spoken } from '@sallyport/contract/names.ts'
import { signIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import { sql } from 'drizzle-orm'
import { AGENT_TOKEN_PREFIX } from '../../../kernel/access/agent-token.ts'
import { type CallUser, displayName } from '../../../kernel/access/call.ts'
import { ownCall } from '../../../kernel/access/own-call.ts'
import { hashKey, randomKey } from '../../../kernel/access/random-secret.ts'
import { isSameSecret } from '../../../kernel/access/same-secret.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { publishIn } from '../../../kernel/events/events.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { recordLogin } from '../../audits/index.ts'
import { USER_CHANGED } from '../../users/index.ts'

const REFRESH_PREFIX = 'sallyport-refresh-'
export const ACCESS_SECONDS = 900
const CODE_SECONDS = 60
/** Renewals of one client that come at once. */
const AT_ONCE_SECONDS = 10
/** A used code is remembered so long. */
const CODE_KEPT_SECONDS = 600
/** A grant that is not used ends, and so does each one in the end. */
const DAYS_UNUSED = 30
const DAYS_AT_MOST = 90
/** Programs that one person may have connected. */
const MOST = 50

export interface Tokens {
  access: string
  refresh: string
}

/** Where a call of a program comes from. */
export interface From {
  address: string
  userAgent: string | undefined
}

function newTokens(family: string): Tokens {
  return {
    access: `${AGENT_TOKEN_PREFIX}${family}.${randomKey()}`,
    refresh: `${REFRESH_PREFIX}${family}.${randomKey()}`,
  }
}

/** The family that a token says it is of; undefined for what is none of these tokens. */
function familyOf(token: string): string | undefined {
  const prefix = [AGENT_TOKEN_PREFIX, REFRESH_PREFIX].find((one) => token.startsWith(one))
  return prefix && token.slice(prefix.length).split('.')[0]
}

/** Keeps the yes of a person, until the program comes for it; undefined where they have too many programs. */
export async function keepCode(
  db: Database,
  of: { program: string; userId: string; orgId: string; redirectUri: string; challenge: string },
): Promise<string | undefined> {
  const code = randomKey()
  const { rowCount } = await db.execute(sql`
    INSERT INTO authentication_agent_code (code_hash, program, user_id, org_id, redirect_uri, challenge, date_expired)
    SELECT ${hashKey(code)}, ${of.program}, ${of.userId}, ${of.orgId}, ${of.redirectUri}, ${of.challenge},
      now() + make_interval(secs => ${CODE_KEPT_SECONDS})
    WHERE (SELECT count(*) < ${MOST} FROM authentication_agent_grant WHERE user_id = ${of.userId})
      AND (SELECT count(*) < ${MOST} FROM authentication_agent_code WHERE user_id = ${of.userId})`)
  return rowCount ? code : undefined
}

interface StoredCode extends Record<string, unknown> {
  user_id: string
  org_id: string
  redirect_uri: string
  challenge: string
  grant_id: string | null
  is_fresh: boolean
  username: string
}

/**
 * Exchanges a code, once. A second time it ends what the first one gave, since one of the two was no
 * client of the person (RFC 6749 §4.1.2). Undefined where the code is not good.
 */
export function exchangeCode(
  kernel: Kernel,
  { code, program, redirectUri, verifier }: { code: string; program: string; redirectUri: string; verifier: string },
  from: From,
): Promise<Tokens | undefined> {
  return kernel.db.transaction(async (db) => {
    const { rows } = await db.execute<StoredCode>(sql`
      SELECT c.user_id, c.org_id, c.redirect_uri, c.challenge, c.grant_id, u.username,
        c.date_created > now() - make_interval(secs => ${CODE_SECONDS}) AS is_fresh
      FROM authentication_agent_code c JOIN users_account u ON u.id = c.user_id AND u.is_valid
      WHERE c.code_hash = ${hashKey(code)} AND c.program = ${program} FOR UPDATE OF c`)
    const [stored] = rows
    if (!stored) return undefined
    if (stored.grant_id) {
      await endGrants(kernel, db, sql`id = ${stored.grant_id}`, 'code used twice')
      return undefined
    }
    const proof = createHash('sha256').update(verifier).digest('base64url')
    if (!stored.is_fresh || stored.redirect_uri !== redirectUri || !isSameSecret(proof, stored.challenge))
      return undefined
    const { user_id, org_id, username } = stored
    // Codes of one program take turns.
    await db.execute(sql`SELECT FROM authentication_agent_program WHERE id = ${program} FOR UPDATE`)
    await endGrants(kernel, db, sql`user_id = ${user_id} AND program = ${program}`, 'connected once more')
    const id = await recordLogin(db, {
      ...{ username, type: 'U', ip: from.address, userAgent: from.userAgent, success: true },
      backend: 'Connected agent',
    })
    const family = randomKey()
    const tokens = newTokens(family)
    await db.execute(sql`
      INSERT INTO authentication_agent_grant
        (id, program, user_id, org_id, family_hash, access_hash, refresh_hash, remote_addr, date_access_expired, date_expired)
      VALUES (${id}, ${program}, ${user_id}, ${org_id}, ${hashKey(family)}, ${hashKey(tokens.access)},
        ${hashKey(tokens.refresh)}, ${from.address}, now() + make_interval(secs => ${ACCESS_SECONDS}),
        now() + make_interval(days => ${DAYS_UNUSED}))`)
    await db.execute(sql`UPDATE authentication_agent_code SET grant_id = ${id} WHERE code_hash = ${hashKey(code)}`)
    await keepProgram(db, program)
    return tokens
  })
}

/** A program is known as long as one of its grants can be. */
async function keepProgram(db: Database, program: string): Promise<void> {
  await db.execute(sql`
    UPDATE authentication_agent_program SET date_expired = now() + make_interval(days => ${DAYS_AT_MOST})
    WHERE id = ${program}`)
}

/** The tokens that follow a refresh token: the same ones for all calls that come with it at once. */
function tokensAfter(family: string, refresh: string, seed: Buffer): Tokens {
  const part = (kind: string) => createHmac('sha256', seed).update(`${kind} ${refresh}`).digest('base64url')
  return {
    access: `${AGENT_TOKEN_PREFIX}${family}.${part('access')}`,
    refresh: `${REFRESH_PREFIX}${family}.${part('refresh')}`,
  }
}

/**
 * New tokens for the newest refresh token; for some seconds the same ones for the one before, as clients
 * renew several times at once. Any other of the same family ends it: somebody else has used it
 * (RFC 9700 §4.14). Undefined where there are none.
 */
export function renewTokens(
  kernel: Kernel,
  { refresh, program }: { refresh: string; program: string },
  { address }: From,
): Promise<Tokens | undefined> {
  const family = refresh.startsWith(REFRESH_PREFIX) ? familyOf(refresh) : undefined
  if (!family) return Promise.resolve(undefined)
  const seed = randomBytes(32)
  const tokens = tokensAfter(family, refresh, seed)
  return kernel.db.transaction(async (db) => {
    const { rowCount } = await db.execute(sql`
      UPDATE authentication_agent_grant g SET access_hash = ${hashKey(tokens.access)},
        previous_hash = g.refresh_hash, seed = ${seed}, date_renewed = now(),
        refresh_hash = ${hashKey(tokens.refresh)}, remote_addr = ${address}, date_last_seen = now(),
        date_access_expired = now() + make_interval(secs => ${ACCESS_SECONDS}),
        date_expired = least(now() + make_interval(days => ${DAYS_UNUSED}),
          g.date_created + make_interval(days => ${DAYS_AT_MOST}))
      FROM users_account u
      WHERE u.id = g.user_id AND u.is_valid AND g.family_hash = ${hashKey(family)}
        AND g.refresh_hash = ${hashKey(refresh)} AND g.program = ${program} AND g.date_expired > now()`)
    if (rowCount) {
      await keepProgram(db, program)
      return tokens
    }
    const { rows } = await db.execute<{ seed: Buffer }>(sql`
      SELECT g.seed FROM authentication_agent_grant g JOIN users_account u ON u.id = g.user_id AND u.is_valid
      WHERE g.family_hash = ${hashKey(family)} AND g.previous_hash = ${hashKey(refresh)} AND g.program = ${program}
        AND g.date_renewed > now() - make_interval(secs => ${AT_ONCE_SECONDS}) AND g.date_expired > now()`)
    if (rows[0]) return tokensAfter(family, refresh, rows[0].seed)
    await endGrants(kernel, db, sql`family_hash = ${hashKey(family)}`, 'old refresh token used')
    return undefined
  })
}

/** Ends the grant of a token, which its own program sends back (RFC 7009). */
export async function revokeToken(kernel: Kernel, { token, program }: { token: string; program: string }) {
  const family = familyOf(token)
  if (!family) return
  await kernel.db.transaction((db) =>
    endGrants(kernel, db, sql`family_hash = ${hashKey(family)} AND program = ${program}`, 'ended by the program'),
  )
}

interface Ended extends Record<string, unknown> {
  org_id: string
  remote_addr: string
  program_name: string
  id: string
  name: string
  username: string
  role: CallUser['role']
}

/** Ends grants, with what they opened, and writes it to the operate log. */
async function endGrants(kernel: Kernel, db: Database, which: ReturnType<typeof sql>, why: string): Promise<void> {
  const { rows } = await db.execute<Ended>(sql`
    WITH ended AS (DELETE FROM authentication_agent_grant WHERE ${which} RETURNING user_id, org_id, remote_addr, program)
    SELECT e.org_id, e.remote_addr, p.name AS program_name, u.id, u.name, u.username, u.role
    FROM ended e JOIN authentication_agent_program p ON p.id = e.program JOIN users_account u ON u.id = e.user_id`)
  for (const { org_id, remote_addr, program_name, ...user } of rows) {
    const call = await ownCall(kernel, org_id, { user, remoteAddress: remote_addr })
    await kernel.audit.record(db, call, [grantOperation('delete', call.org.id, user, [program_name, why])])
    await publishIn(db, USER_CHANGED, { user_id: user.id })
  }
}

/** How the operate log has the beginning and the end of a grant. */
export const grantOperation = (
  action: 'create' | 'delete',
  orgId: string,
  person: Pick<CallUser, 'name' | 'username'>,
  more: readonly string[],
) => ({
  action,
  resourceType: signIn.label,
  resource: `${spoken(displayName(person))}: ${[signIn.fields.kind.choices.agent, ...more].join(', ')}`,
  orgId,
})
