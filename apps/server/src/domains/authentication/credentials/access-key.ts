import { randomUUID } from 'node:crypto'
import { accessKey } from '@sallyport/contract/resources/authentication/access-key.ts'
import { eq, inArray } from 'drizzle-orm'
import { type Call, callerOf } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import { publishIn } from '../../../kernel/events/events.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import type { Vault } from '../../../kernel/secrets/vault.ts'
import { isIpGroupEntry } from '../../acls/index.ts'
import { USER_CHANGED } from '../../users/index.ts'
import { authenticationAccessKey } from '../tables.ts'

/** Keys of one person. */
const MAX_KEYS = 10
const ANYWHERE = '*'

type Writing = WriteContext<typeof accessKey, typeof authenticationAccessKey>

/** API keys: the secret is shown to its owner alone, who signs requests with it (notes 30). */
export function mountAccessKeys(kernel: Kernel): void {
  mountResource(
    kernel,
    { ...accessKey, operations: accessKey.operations.filter((operation) => operation !== 'create') },
    {
      table: authenticationAccessKey,
      owner: authenticationAccessKey.user_id,
      keepOnPut: ['ip_group'],
      rules: { beforeWrite: [checkAddresses], afterWrite: [tell], afterDelete: [tell] },
      computed: [
        {
          fields: ['secret'],
          load: async (rows, { call }) => {
            const ids = rows.map(({ id }) => id)
            if (isLimited(call)) return ids.map(() => ({ secret: '' }))
            const sealed = await kernel.db
              .select({ id: authenticationAccessKey.id, secret: authenticationAccessKey.secret_sealed })
              .from(authenticationAccessKey)
              .where(inArray(authenticationAccessKey.id, ids))
            const open = kernel.secrets.open('sign_in', 'API keys that are shown to their person')
            const secrets = new Map(sealed.map(({ id, secret }) => [id, open(secret)]))
            return ids.map((id) => ({ secret: secrets.get(id) ?? '' }))
          },
        },
      ],
    },
  )
  kernel.app.route({
    method: 'POST',
    url: accessKey.path,
    config: { access: ['authenticated'], summary: 'API Key: create' },
    handler: async (request, reply) => {
      const key = await createOwnKey(kernel, request.call)
      reply.status(201)
      const date_created = formatDateTime(key.date_created, request.call.timeZone)
      return { ...key, is_active: true, date_created, date_last_used: null }
    },
  })
}

/** Throws 400 when the person has as many as may be. */
function createOwnKey(kernel: Kernel, call: Call): ReturnType<typeof createAccessKey> {
  const { id } = callerOf(call)
  return kernel.db.transaction(async (db) => {
    // One at a time for each person: keys made at once must not slip past the limit together.
    await lockUntilCommit(db, `access keys of ${id}`)
    const held = await db.$count(authenticationAccessKey, eq(authenticationAccessKey.user_id, id))
    if (held >= MAX_KEYS)
      throw refused('access_key_limit', 'You have ten API keys, which is the limit: delete one first')
    const key = await createAccessKey(db, kernel.secrets, id, call.keyAddresses)
    await kernel.audit.record(db, call, [
      { action: 'create', resourceType: accessKey.label, resource: key.id, orgId: call.org.id },
    ])
    return key
  })
}

/**
 * Switched off with a new password: whoever knew the former one may have made them. Their person
 * switches on again what is theirs.
 */
export async function suspendAccessKeys(db: Database, userId: string): Promise<void> {
  await db.update(authenticationAccessKey).set({ is_active: false }).where(eq(authenticationAccessKey.user_id, userId))
}

/**
 * Whether the call is signed with a key that works from some addresses only. It opens no way from
 * elsewhere: keys that it makes work from the same addresses, and it shows and widens no other.
 */
const isLimited = ({ keyAddresses = [ANYWHERE] }: Call): boolean => !keyAddresses.includes(ANYWHERE)

/** Throws 400 on `ip_group` for entries that login rules would not accept either. */
function checkAddresses({ call, draft }: Writing): void {
  if (draft.ip_group && isLimited(call))
    throw invalid({ ip_group: 'A key that is limited to addresses changes those of no key' })
  const wrong = draft.ip_group?.find((entry) => !isIpGroupEntry(entry))
  if (wrong !== undefined)
    throw invalid({ ip_group: translate(call.language, 'IP address invalid: `{{entry}}`', { entry: wrong }) })
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
  addresses: readonly string[] = [ANYWHERE],
): Promise<{ id: string; secret: string; ip_group: string[]; date_created: Date }> {
  const ip_group = [...addresses]
  const [id, secret, date_created] = [randomUUID(), randomUUID(), new Date()]
  await db
    .insert(authenticationAccessKey)
    .values({ id, user_id: userId, secret_sealed: secrets.seal(secret), ip_group, date_created })
  return { id, secret, ip_group, date_created }
}
