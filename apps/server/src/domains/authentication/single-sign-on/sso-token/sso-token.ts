import { randomUUID } from 'node:crypto'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { eq, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf } from '../../../../kernel/access/call.ts'
import { hashKey } from '../../../../kernel/access/random-secret.ts'
import { notFound, refused } from '../../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { isUuid } from '../../../../kernel/resource/conditions.ts'
import { plainFields } from '../../../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../../../kernel/resource/query.ts'
import { recordLogin } from '../../../audits/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { isDirectoryOff } from '../../../users/directories/index.ts'
import { signInNoted, usersPerson } from '../../../users/index.ts'
import { findLock } from '../../failures.ts'
import { safeNext } from '../../next-address.ts'
import { startSession } from '../../session.ts'
import { signInClientOf } from '../../sign-in/sign-in.ts'
import { authenticationSsoToken } from './tables.ts'

const LOGIN = '/api/v1/authentication/sso/login/'
const BACKEND = 'SSO'

const body = z.object({ username: z.string().trim().min(1).max(128), next: z.string().max(2048).nullish() })

/** Sign-in by a link that another system requests (docs/rules/authentication.md#sso_token). */
export function registerSsoTokens(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'POST',
    url: '/api/v1/authentication/sso/login-url/',
    config: {
      access: ['super_admin'],
      opensWayIn: true,
      summary: 'A link that signs a person in once',
      answers: { fields: plainFields({ login_url: 'url' }) },
      takes: body,
    },
    handler: async ({ call, body: sent }) => {
      const settings = settingsOf(kernel)
      if (!settings.get('AUTH_SSO')) throw refused('sso_auth_closed', 'Sign-in by SSO is not enabled')
      const { username, next } = body.parse(sent ?? {})
      // Components are left out: they prove themselves with their access key alone.
      const [user] = await db.select({ id: usersPerson.id }).from(usersPerson).where(eq(usersPerson.username, username))
      if (!user) throw notFound()
      const authkey = randomUUID()
      const by = callerOf(call).username
      await db.transaction(async (inside) => {
        await inside
          .insert(authenticationSsoToken)
          .values({ key_hash: hashKey(authkey), user_id: user.id, created_by: by, updated_by: by })
        await kernel.audit.record(inside, call, [
          { action: 'create', resourceType: 'SSO link', resource: username, orgId: ROOT_ORG_ID },
        ])
      })
      const query = new URLSearchParams({ authkey, next: next ? safeNext(next) : '' })
      return { login_url: `${settings.get('SITE_URL')}${LOGIN}?${query}` }
    },
  })
  app.route({
    method: 'GET',
    url: LOGIN,
    // No HEAD: previews of a link must not use it up.
    exposeHeadRoute: false,
    config: {
      access: ['anonymous'],
      summary: 'Sign in by a link from another system',
      answers: 'moved',
      answerStatus: 302,
    },
    handler: async (request, reply) => {
      const { authkey = '', next } = singleValues(request.query)
      await signIn(kernel, request, reply, authkey)
      return reply.redirect(safeNext(next))
    },
  })
}

/**
 * Signs the key's person in on this browser. An invalid key leaves the browser's session as it was,
 * and is recorded in the login log.
 */
async function signIn(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, authkey: string): Promise<void> {
  const { db } = kernel
  const { remoteAddress } = request.call
  const log = (username: string, reason: string, change?: ReturnType<typeof signInNoted>) =>
    recordLogin(
      db,
      {
        username,
        type: 'W',
        ip: remoteAddress,
        userAgent: signInClientOf(request).userAgent,
        success: !reason,
        reason,
        // No second factor is asked for.
        ...(reason ? {} : { mfa: false }),
        backend: BACKEND,
      },
      change,
    )
  // Checked before the key, so that a locked address does not use it up. The name is empty: only
  // locks of the address count.
  const lock = await findLock(db, settingsOf(kernel), '', remoteAddress)
  if (lock) return void (await log('', lock.kind))
  const key = await useKey(kernel, authkey)
  if (!key) return void (await log(await ownerOf(kernel, authkey), 'authkey_invalid'))
  const refusal = await refusalOf(kernel, key)
  if (refusal) return void (await log(key.username, refusal))
  // As for every way to sign in: not without a line in the log.
  const signInId = await log(key.username, '', signInNoted(db, key.user_id))
  await startSession(kernel, request, reply, { id: key.user_id, signInId })
}

interface UsedKey extends Record<string, unknown> {
  user_id: string
  username: string
  source: string
  directory_id: string | null
  in_time: boolean
  is_active: boolean
  is_valid: boolean
}

/**
 * Uses a key up: of simultaneous calls one gets its person. Undefined when it is unknown or used,
 * or SSO is off.
 */
async function useKey(kernel: Kernel, authkey: string): Promise<UsedKey | undefined> {
  const settings = settingsOf(kernel)
  if (!isUuid(authkey) || !settings.get('AUTH_SSO')) return undefined
  const { rows } = await kernel.db.execute<UsedKey>(sql`
    UPDATE authentication_sso_token t SET expired = true, date_updated = now() FROM ${usersPerson} u
    WHERE t.key_hash = ${hashKey(authkey.toLowerCase())} AND NOT t.expired AND u.id = t.user_id
    RETURNING u.id AS user_id, u.username, u.source, u.directory_id, u.is_active, u.is_valid,
      t.date_created > now() - make_interval(secs => ${settings.get('AUTH_SSO_AUTHKEY_TTL')}) AS in_time`)
  return rows[0]
}

/** The person of a used key, for the log; empty if there never was such a key. */
async function ownerOf({ db }: Kernel, authkey: string): Promise<string> {
  const [row] = await db
    .select({ username: usersPerson.username })
    .from(authenticationSsoToken)
    .innerJoin(usersPerson, eq(usersPerson.id, authenticationSsoToken.user_id))
    .where(eq(authenticationSsoToken.key_hash, hashKey(authkey.toLowerCase())))
  return row?.username ?? ''
}

/** Why the key's person is refused, as a reason of the login log; empty if they are not. */
async function refusalOf(kernel: Kernel, key: UsedKey): Promise<string> {
  const { in_time, is_active, is_valid, source } = key
  if (!in_time) return 'authkey_timeout'
  if (!is_active) return 'user_inactive'
  if (!is_valid) return (await isDirectoryOff(kernel.db, key)) ? 'directory_off' : 'user_expired'
  // People of a directory or provider must sign in there.
  return source !== 'local' && settingsOf(kernel).get('ONLY_ALLOW_AUTH_FROM_SOURCE') ? 'backend_not_match' : ''
}
