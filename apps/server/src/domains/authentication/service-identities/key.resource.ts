import { serviceKey as definition } from '@sallyport/contract/resources/authentication/service-key.ts'
import { eq } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import { refuseLimited } from '../../../kernel/access/limited-key.ts'
import { hashKey, randomKey } from '../../../kernel/access/random-secret.ts'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { publishIn } from '../../../kernel/events/events.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext, WriteContext, WrittenContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { guardPerson, USER_CHANGED } from '../../users/index.ts'
import { SERVICE_KEY_PREFIX } from './stopped.ts'
import { authenticationServiceKey } from './tables.ts'

type Writing = WriteContext<typeof definition, typeof authenticationServiceKey>
type Written = WrittenContext<typeof definition, typeof authenticationServiceKey>
type Deleting = DeleteContext<typeof authenticationServiceKey>

/** Keys of one identity: the old one, the new one, and some for places of their own. */
const MAX_KEYS = 10
const SHOWN_CHARACTERS = 4

/** Keys that were made by a call, which alone answers them. */
const fresh = new WeakMap<Call, { ending: string; token: string }>()

/** Keys of service identities: several at once, so that one replaces another without a gap. */
export default function mountServiceKeys(kernel: Kernel): void {
  mountResource(kernel, definition, {
    table: authenticationServiceKey,
    computed: [
      {
        fields: ['token'],
        load: async (rows, { call }) => {
          const made = fresh.get(call)
          return rows.map(({ ending }) => ({ token: made?.ending === ending ? made.token : null }))
        },
      },
    ],
    rules: {
      beforeWrite: [
        ({ call }) => refuseLimited(call),
        keepIdentity,
        ({ call, db, draft, row }) => guardPerson(db, call, row?.identity ?? draft.identity ?? ''),
        makeKey,
      ],
      afterWrite: [({ db, stored }: Written) => tell(db, stored.identity)],
      beforeDelete: [guardPeople],
      afterDelete: [endUse],
    },
  })
}

/** A key never changes hands. */
function keepIdentity({ draft, row }: Writing): void {
  if (row && draft.identity && draft.identity !== row.identity)
    throw invalid({ identity: 'A key belongs to the service identity that it was made for' })
}

async function makeKey({ call, db, draft, row }: Writing): Promise<void> {
  if (row) return
  const identity = draft.identity ?? ''
  // One at a time for each identity: keys made at once must not slip past the limit together.
  await lockUntilCommit(db, `keys of ${identity}`)
  const held = await db.$count(authenticationServiceKey, eq(authenticationServiceKey.identity, identity))
  if (held >= MAX_KEYS)
    throw new AppError(400, 'too_many', 'A service identity has {{max}} keys at most: delete one first', {
      values: { max: MAX_KEYS },
    })
  const token = SERVICE_KEY_PREFIX + randomKey()
  const ending = token.slice(-SHOWN_CHARACTERS)
  fresh.set(call, { ending, token })
  Object.assign(draft, { key_hash: hashKey(token), ending, created_by: call.user?.name.slice(0, 30) ?? '' })
}

async function guardPeople({ call, db, rows }: Deleting): Promise<void> {
  for (const { identity } of rows) await guardPerson(db, call, identity)
}

/** Connections that were opened with it check at once whether it is still valid. */
const tell = (db: Writing['db'], user_id: string) => publishIn(db, USER_CHANGED, { user_id })

async function endUse({ db, rows }: Deleting): Promise<void> {
  for (const { identity } of rows) await tell(db, identity)
}
