import { randomBytes } from 'node:crypto'
import type { Fields } from '@sallyport/contract/define.ts'
import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { FieldChange } from '../../kernel/audit/audit.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { getStored, presentOne } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { credentials } from './credentials.ts'
import { announceAccountEvent } from './notices/account-events.ts'
import { notifyOfAdminChange } from './notices/admin-change-notices.ts'
import { notifyOfReset } from './notices/change-notices.ts'
import { checkNewPassword } from './password/new-password.ts'
import { hashPassword, setPassword } from './password/password.ts'
import { unbindOtp } from './profile/otp.ts'
import { OWN_MFA } from './profile/own-secrets.ts'
import { refuseService } from './service-person.ts'
import { guardPerson } from './shared-person.ts'
import { usersUser } from './tables.ts'
import { type StoredUser, userDisplay } from './user-fields.ts'

interface Reset {
  methods: ('GET' | 'PUT' | 'PATCH')[]
  /** The last part of the address. */
  path: string
  summary: string
  takes?: typeof passwordBody
  /** The person where it says nothing. */
  answers?: { fields: Fields }
  /** See `FastifyContextConfig`. */
  opensWayIn: boolean
  /** Changes for the operate log. */
  changes: readonly FieldChange[]
  /**
   * In one transaction with its line of the operate log; answers the person where it says nothing.
   */
  work(row: StoredUser, context: ReadContext, request: FastifyRequest): Promise<unknown>
  /** Notifies people once the change is committed. */
  afterCommit?(row: StoredUser, request: FastifyRequest): Promise<void>
}

/**
 * What administrators do to somebody's ways of signing in (docs/rules/users.md#reset_calls).
 */
export function registerResets(kernel: Kernel, users: MountedResource<typeof usersUser>): void {
  for (const reset of [...passwordResets(kernel), ...otherResets(kernel)]) addReset(kernel, users, reset)
}

function addReset(kernel: Kernel, users: MountedResource<typeof usersUser>, reset: Reset): void {
  const { methods, path, summary, takes, opensWayIn, changes, work, afterCommit } = reset
  const { answers = { fields: users.definition.fields } } = reset
  kernel.app.route({
    method: methods,
    url: `/api/v1/users/users/:id/${path}/`,
    config: { access: ['org_admin'], opensWayIn, changesOnGet: methods.includes('GET'), summary, takes, answers },
    handler: async (request) => {
      const outside = contextOf(kernel, request)
      const { id = '' } = outside.parameters
      const { row, answer } = await kernel.db.transaction(async (db) => {
        const context = { ...outside, db }
        const row = await getStored(users, id, context, true)
        await guardPerson(db, request.call, id)
        refuseService({ rows: [row] })
        const answer = await work(row, context, request)
        await kernel.audit.record(db, request.call, [
          {
            action: 'update',
            resourceType: 'User',
            resource: userDisplay(row),
            orgId: request.call.org.id,
            object: { type: 'user', id: row.id },
            changes,
          },
        ])
        return { row, answer }
      })
      await afterCommit?.(row, request)
      return answer ?? presentOne(users, await getStored(users, id, outside), outside)
    },
  })
}

const passwordBody = z.object({ password: z.string().min(1).max(128) })

const passwordResets = (kernel: Kernel): Reset[] => [
  {
    methods: ['PUT', 'PATCH'],
    path: 'password',
    opensWayIn: true,
    summary: "Set a person's password",
    takes: passwordBody,
    answers: { fields: {} },
    changes: [{ field: 'password', is_secret: true }],
    async work(row, { db }, request) {
      const { password } = passwordBody.parse(request.body ?? {})
      if (row.source !== 'local') return {}
      await checkNewPassword(kernel, db, { id: row.id, role: row.role }, password, 'password')
      await setPassword(db, request.call, person(row), password)
      return {}
    },
    async afterCommit(row, { call }) {
      if (row.source === 'local' && row.id !== call.user?.id) await notifyOfAdminChange(kernel, row.id, 'password')
    },
  },
  {
    methods: ['PUT', 'PATCH'],
    path: 'password/reset',
    opensWayIn: true,
    summary: "Make a person's password unusable and send them a link to set a new one",
    changes: [{ field: 'password', is_secret: true }],
    async work(row, { db }) {
      const password_hash = await hashPassword(randomBytes(32).toString('base64'))
      await db.update(usersUser).set({ password_hash, need_update_password: true }).where(eq(usersUser.id, row.id))
      await credentials.value.endSignIns(db, row.id)
    },
    async afterCommit(row, { call }) {
      if (row.source === 'local') await announceAccountEvent(kernel, 'password_reset', row, call.language)
    },
  },
]

const otherResets = (kernel: Kernel): Reset[] => [
  {
    methods: ['PUT', 'PATCH'],
    path: 'pubkey/reset',
    opensWayIn: false,
    summary: "Forget a person's SSH public key",
    changes: [{ field: 'public_key', is_secret: true }],
    async work(row, { db }) {
      await db
        .update(usersUser)
        .set({ public_key_sealed: null, public_key_comment: '', public_key_hash_md5: '' })
        .where(eq(usersUser.id, row.id))
      await credentials.value.endConnections(db, row.id)
    },
    afterCommit: (row) => notifyOfReset(kernel, row.id, 'key'),
  },
  {
    methods: ['PUT', 'PATCH'],
    path: 'unblock',
    opensWayIn: true,
    summary: "Lift a person's lock after failed sign-ins",
    changes: [{ field: 'login_blocked', before: true, after: false }],
    async work(row, { db }) {
      await credentials.value.unlock(db, row.username)
    },
  },
  {
    methods: ['GET'],
    path: 'mfa/reset',
    opensWayIn: true,
    answers: { fields: plainFields({ msg: 'string' }) },
    summary: "Switch a person's second factors off",
    changes: [{ field: 'mfa_enabled', before: true, after: false }],
    async work(row, { db }, request) {
      const { language, user } = request.call
      if (row.id === user?.id)
        throw new AppError(400, 'bad_request', OWN_MFA, { body: { error: translate(language, OWN_MFA) } })
      await credentials.value.dropPasskeys(db, row.id)
      await unbindOtp(db, row.id)
      // The holder of the lost phone may still be signed in by it.
      await credentials.value.endSignIns(db, row.id)
      return { msg: 'success' }
    },
    afterCommit: (row) => notifyOfReset(kernel, row.id, 'mfa'),
  },
]

const person = ({ id, name, username }: StoredUser) => ({ id, name, username })
