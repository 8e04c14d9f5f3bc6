import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Call, callerOf, isSuperAdmin } from '../../../kernel/access/call.ts'
import { hashKey, randomText } from '../../../kernel/access/random-secret.ts'
import { forbidden, invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { mayConnect } from '../../perms/index.ts'
import { assetsListedSystemUser } from '../../system-users/index.ts'
import { usersPerson } from '../../users/index.ts'
import { authenticationConnectionToken } from '../tables.ts'
import type { FoundTarget } from './target-kind.ts'
import { TARGET_KINDS } from './target-kinds.ts'

export const CONNECTION_TOKENS = '/api/v1/authentication/connection-token/'

const TOKEN_LENGTH = 36
const SECRET_LENGTH = 16
const SECONDS = 300

const id = z.string().max(128).nullish()
export const tokenRequest = z.object({ user: id, system_user: z.string().min(1).max(128), asset: id, application: id })

/** A connection that a person is permitted to make now. */
export interface Connection {
  target: FoundTarget
  person: { id: string; username: string }
  systemUser: { id: string; name: string; protocol: string; ad_domain: string }
  /** Bits of the permitted actions. */
  mask: number
}

/**
 * The person, target and system user of a request for a token. Throws 400 naming the field that is
 * missing or unknown; 403 when somebody other than a system administrator names another person, or
 * no permission lets the person connect.
 */
export async function findConnection(
  { db }: Kernel,
  call: Call,
  request: z.infer<typeof tokenRequest>,
): Promise<Connection> {
  const caller = callerOf(call)
  if (request.user && !isSuperAdmin(call))
    throw forbidden('Only a system administrator may connect in the name of others')
  const unknown = (value: string) =>
    translate(call.language, 'Invalid pk "{{id}}" - object does not exist.', { id: value })

  if (Boolean(request.asset) === Boolean(request.application))
    throw invalid({ asset: 'Name either an asset or an application' })
  const family: TargetFamily = request.asset ? 'asset' : 'application'
  const targetId = request[family] ?? ''
  const kind = TARGET_KINDS[family]
  const target = isUuid(targetId) ? await kind.find(db, targetId) : undefined
  if (!target) throw invalid({ [family]: unknown(targetId) })

  const [systemUser] = isUuid(request.system_user)
    ? await db
        .select({
          id: assetsListedSystemUser.id,
          name: assetsListedSystemUser.name,
          protocol: assetsListedSystemUser.protocol,
          ad_domain: assetsListedSystemUser.ad_domain,
        })
        .from(assetsListedSystemUser)
        .where(eq(assetsListedSystemUser.id, request.system_user))
    : []
  if (!systemUser) throw invalid({ system_user: unknown(request.system_user) })

  const userId = request.user || caller.id
  const [person] = isUuid(userId)
    ? await db
        .select({ id: usersPerson.id, username: usersPerson.username })
        .from(usersPerson)
        .where(eq(usersPerson.id, userId))
    : []
  if (!person && request.user) throw invalid({ user: unknown(request.user) })

  const answer = person && (await mayConnect(db, { userId: person.id, systemUserId: systemUser.id, target }))
  if (!person || !answer?.allowed) throw forbidden('You have no permission to connect to this asset')
  return { target, person, systemUser, mask: answer.mask }
}

/**
 * Makes a token for the connection. It lives for five minutes and starts one session (`admit.ts`,
 * `admit-client.ts`); it is answered here and stored only as a hash.
 */
export async function issueToken(
  kernel: Kernel,
  call: Call,
  { target, person, systemUser }: Connection,
): Promise<string> {
  const token = randomText(TOKEN_LENGTH)
  const creator = callerOf(call)
  await kernel.db.transaction(async (db) => {
    await db.insert(authenticationConnectionToken).values({
      token_hash: hashKey(token),
      secret_sealed: kernel.secrets.seal(randomText(SECRET_LENGTH)),
      type: target.family,
      target: target.id,
      user_id: person.id,
      system_user_id: systemUser.id,
      creator_id: creator.id,
      remote_addr: creator.id === person.id ? call.remoteAddress : null,
      on_behalf_of: call.onBehalfOf,
      ...(call.keyAddresses ? { ip_group: [...call.keyAddresses] } : {}),
      date_expired: sql`now() + make_interval(secs => ${SECONDS})`,
    })
    const resource = `${person.username}: ${systemUser.name}@${target.name}`
    await kernel.audit.record(db, call, [
      { action: 'create', resourceType: 'Connection token', resource, orgId: target.orgId },
    ])
  })
  return token
}

/** Whether files may be both uploaded and downloaded. */
export const maySendFiles = (mask: number): boolean => (mask & ACTION_BITS.updownload) === ACTION_BITS.updownload

/** Whether a clipboard goes either way. */
export const mayUseClipboard = (mask: number): boolean => (mask & ACTION_BITS.clipboard_copy_paste) !== 0
