import { randomUUID } from 'node:crypto'
import { accessKey } from '@sallyport/contract/resources/authentication/access-key.ts'
import { eq, inArray, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { type Call, callerOf } from '../../../kernel/access/call.ts'
import { ANYWHERE, isLimited, refuseLimited } from '../../../kernel/access/limited-key.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import { publishIn } from '../../../kernel/events/events.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { readBody, readObject } from '../../../kernel/resource/schema.ts'
import type { Vault } from '../../../kernel/secrets/vault.ts'
import { checkIpGroup } from '../../acls/index.ts'
import { USER_CHANGED } from '../../users/index.ts'
import { hasFreshMfa } from '../second-factor/fresh-mfa.ts'
import { authenticationAccessKey } from '../tables.ts'

/** Keys of one person. */
const MAX_KEYS = 10
/**
 * For so long a new key's secret is read by the sign-in that made it: existing consoles find it in
 * the list, which they load again, not in the answer.
 */
const NEW_SECONDS = 60
/** How much of a secret tells its owner which one it is. */
const SHOWN_CHARACTERS = 4

type Writing = WriteContext<typeof accessKey, typeof authenticationAccessKey>

/**
 * API keys: the secret is shown to its owner alone, who signs requests with it (B7.18), when it is
 * made and behind a fresh second factor; otherwise covered but for its end
 * (docs/rules/authentication.md#access_key).
 */
export default function mountAccessKeys(kernel: Kernel): void {
  mountResource(
    kernel,
    { ...accessKey, operations: accessKey.operations.filter((operation) => operation !== 'create') },
    {
      table: authenticationAccessKey,
      owner: authenticationAccessKey.user_id,
      keepOnPut: ['ip_group'],
      rules: { beforeWrite: [checkAddresses, keepOff], afterWrite: [tell], afterDelete: [tell] },
      computed: [{ fields: ['secret'], load: (rows, { call }) => shownSecrets(kernel, call, rows) }],
    },
  )
  kernel.app.route({
    method: 'POST',
    url: accessKey.path,
    config: {
      access: ['authenticated'],
      summary: 'API Key: create',
      takes: newKey,
      answers: {
        fields: plainFields({
          id: 'uuid',
          secret: 'uuid',
          ip_group: 'strings',
          date_created: 'datetime',
          is_active: 'boolean',
          date_last_used: 'string',
        }),
      },
      answerStatus: 201,
    },
    handler: async (request, reply) => {
      const key = await createOwnKey(kernel, request.call, addressesOf(request))
      reply.status(201)
      const date_created = formatDateTime(key.date_created, request.call.timeZone)
      return { ...key, is_active: true, date_created, date_last_used: null }
    },
  })
}

/**
 * The addresses are the only input of a new key (docs/rules/authentication.md#access_key: the rest
 * is ignored).
 */
const newKey = { fields: { ip_group: { ...accessKey.fields.ip_group, required: false } } } as const

/**
 * Where a new key works from: as the body says; else as the key of this call, of whose addresses
 * alone it may have some. Throws 400 on `ip_group`.
 */
function addressesOf({ call, body }: FastifyRequest): readonly string[] {
  const own = call.keyAddresses ?? [ANYWHERE]
  const { values, errors } = readBody(
    { name: 'new API key', ...newKey },
    'patch',
    call.language,
    readObject(body ?? {}),
  )
  if (Object.keys(errors).length) throw invalid(errors)
  const wanted = values.ip_group as readonly string[] | undefined
  if (!wanted) return own
  checkIpGroup(call, wanted)
  if (isLimited(call) && wanted.some((entry) => !own.includes(entry)))
    throw invalid({ ip_group: 'A key that is limited to addresses makes keys for those alone' })
  return wanted
}

/**
 * Each key's secret, covered for passers-by: a sign-in or key that somebody left open must not
 * yield others that work from anywhere and for ever.
 */
async function shownSecrets(
  kernel: Kernel,
  call: Call,
  rows: readonly { id: string }[],
): Promise<{ secret: string }[]> {
  const { id, secret_sealed, date_created, sign_in_id } = authenticationAccessKey
  const found = await kernel.db
    .select({
      id,
      secret: secret_sealed,
      isNew: sql<boolean>`${sign_in_id} = ${call.signInId ?? null}::uuid AND ${date_created} > now() - make_interval(secs => ${NEW_SECONDS})`,
    })
    .from(authenticationAccessKey)
    .where(
      inArray(
        id,
        rows.map((row) => row.id),
      ),
    )
  const isProven = await hasFreshMfa(kernel, call.sessionId)
  const open = kernel.secrets.open('sign_in', 'API keys that are shown to their person')
  const shown = new Map(
    found.map((key) => [key.id, isProven || key.isNew ? open(key.secret) : covered(open(key.secret))]),
  )
  return rows.map((row) => ({ secret: shown.get(row.id) ?? '' }))
}

const covered = (secret: string) => secret.slice(-SHOWN_CHARACTERS).padStart(secret.length, '*')

/** Throws 400 when the person has as many as may be. */
function createOwnKey(kernel: Kernel, call: Call, addresses: readonly string[]): ReturnType<typeof createAccessKey> {
  const { id } = callerOf(call)
  return kernel.db.transaction(async (db) => {
    // One at a time for each person: keys made at once must not slip past the limit together.
    await lockUntilCommit(db, `access keys of ${id}`)
    const held = await db.$count(authenticationAccessKey, eq(authenticationAccessKey.user_id, id))
    if (held >= MAX_KEYS)
      throw refused('access_key_limit', 'You have ten API keys, which is the limit: delete one first')
    const key = await createAccessKey(db, kernel.secrets, id, { addresses, signInId: call.signInId })
    await kernel.audit.record(db, call, [
      { action: 'create', resourceType: accessKey.label, resource: key.id, orgId: call.org.id },
    ])
    return key
  })
}

/**
 * Disables the keys of a person who gets a new password: somebody who knew the former one may have
 * made them. The person enables their own again.
 */
export async function suspendAccessKeys(db: Database, userId: string): Promise<void> {
  await db.update(authenticationAccessKey).set({ is_active: false }).where(eq(authenticationAccessKey.user_id, userId))
}

/** Throws 400 on `ip_group` for entries that login rules would not accept either. */
function checkAddresses({ call, draft }: Writing): void {
  if (draft.ip_group && isLimited(call))
    throw invalid({ ip_group: 'A key that is limited to addresses changes those of no key' })
  checkIpGroup(call, draft.ip_group ?? [])
}

/** A key that was switched off and works from elsewhere is no way in for one that is limited. */
function keepOff({ call, draft, row }: Writing): void {
  const own = call.keyAddresses ?? []
  if (draft.is_active && row?.is_active === false && row.ip_group.some((entry) => !own.includes(entry)))
    refuseLimited(call)
}

/** Connections that were opened with a key check at once whether it is still valid. */
async function tell({ call, db }: Pick<Writing, 'call' | 'db'>): Promise<void> {
  await publishIn(db, USER_CHANGED, { user_id: callerOf(call).id })
}

/** Makes a key for a person or component. The secret is answered here and stored sealed. */
export async function createAccessKey(
  db: Database,
  secrets: Vault,
  userId: string,
  { addresses = [ANYWHERE], signInId }: { addresses?: readonly string[]; signInId?: string | undefined } = {},
): Promise<{ id: string; secret: string; ip_group: string[]; date_created: Date }> {
  const ip_group = [...addresses]
  const [id, secret, date_created] = [randomUUID(), randomUUID(), new Date()]
  await db
    .insert(authenticationAccessKey)
    .values({ id, user_id: userId, secret_sealed: secrets.seal(secret), ip_group, date_created, sign_in_id: signInId })
  return { id, secret, ip_group, date_created }
}
