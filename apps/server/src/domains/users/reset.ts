import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError, forbidden } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { getStored, presentOne } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { credentials } from './credentials.ts'
import { announceAccountEvent } from './notices/account-events.ts'
import { tellOfAdminChange } from './notices/admin-change-notices.ts'
import { tellOfReset } from './notices/change-notices.ts'
import { checkNewPassword } from './password/new-password.ts'
import { hashPassword, setPassword } from './password/password.ts'
import { unbindOtp } from './profile/otp.ts'
import { OWN_MFA } from './profile/own-secrets.ts'
import { foreignSignIn, mayChangeSignIn } from './sign-in-guard.ts'
import { usersUser } from './tables.ts'
import { mayUpdate, type StoredUser, userDisplay } from './user-fields.ts'

/**
 * What administrators do to somebody's ways of signing in (contract/users.yaml extra endpoints).
 */
export function registerResets(kernel: Kernel, users: MountedResource<typeof usersUser>): void {
  const add = (
    methods: string[],
    path: string,
    summary: string,
    work: (row: StoredUser, context: ReadContext, request: FastifyRequest) => Promise<unknown>,
    afterCommit?: (row: StoredUser, request: FastifyRequest) => Promise<void>,
  ) =>
    kernel.app.route({
      method: methods,
      url: `/api/v1/users/users/:id/${path}/`,
      config: { access: ['org_admin'], changesOnGet: methods.includes('GET'), summary },
      handler: async (request) => {
        const outside = contextOf(kernel, request)
        const { id = '' } = outside.parameters
        const { row, answer } = await kernel.db.transaction(async (db) => {
          const context = { ...outside, db }
          const row = await getStored(users, id, context, true)
          if (!mayUpdate(request.call, row)) throw forbidden()
          if (path !== 'unblock' && !(await mayChangeSignIn(db, request.call, id))) throw foreignSignIn()
          const answer = await work(row, context, request)
          await kernel.audit.record(db, request.call, [
            { action: 'update', resourceType: 'User', resource: userDisplay(row), orgId: request.call.org.id },
          ])
          return { row, answer }
        })
        await afterCommit?.(row, request)
        return answer ?? presentOne(users, await getStored(users, id, outside), outside)
      },
    })
  const writes = ['PUT', 'PATCH']

  add(
    writes,
    'password',
    "Set a person's password",
    async (row, { db }, request) => {
      const { password } = z.object({ password: z.string().min(1).max(128) }).parse(request.body ?? {})
      if (row.source !== 'local') return {}
      await checkNewPassword(kernel, db, { id: row.id, role: row.role }, password, 'password')
      await setPassword(db, request.call, person(row), password)
      return {}
    },
    async (row, { call }) => {
      if (row.source === 'local' && row.id !== call.user?.id) await tellOfAdminChange(kernel, row.id, 'password')
    },
  )
  add(
    writes,
    'password/reset',
    "Make a person's password unusable and send them a link to set a new one",
    async (row, { db }) => {
      const password_hash = await hashPassword(randomBytes(32).toString('base64'))
      await db.update(usersUser).set({ password_hash, need_update_password: true }).where(eq(usersUser.id, row.id))
      await credentials().endSignIns(db, row.id)
    },
    async (row, { call }) => {
      if (row.source === 'local') await announceAccountEvent(kernel, 'password_reset', row, call.language)
    },
  )
  add(
    writes,
    'pubkey/reset',
    "Forget a person's SSH public key",
    async (row, { db }) => {
      await db
        .update(usersUser)
        .set({ public_key_sealed: null, public_key_comment: '', public_key_hash_md5: '' })
        .where(eq(usersUser.id, row.id))
      await credentials().endConnections(db, row.id)
    },
    (row) => tellOfReset(kernel, row.id, 'key'),
  )
  add(writes, 'unblock', "Lift a person's lock after failed sign-ins", async (row, { db }) => {
    await credentials().unlock(db, row.username)
  })
  add(
    ['GET'],
    'mfa/reset',
    "Switch a person's second factors off",
    async (row, { db }, request) => {
      const { language, user } = request.call
      if (row.id === user?.id)
        throw new AppError(400, 'bad_request', OWN_MFA, { body: { error: translate(language, OWN_MFA) } })
      await credentials().dropPasskeys(db, row.id)
      await unbindOtp(db, row.id)
      // Whoever has the lost phone may still be signed in by it.
      await credentials().endSignIns(db, row.id)
      return { msg: 'success' }
    },
    (row) => tellOfReset(kernel, row.id, 'mfa'),
  )
}

const person = ({ id, name, username }: StoredUser) => ({ id, name, username })
