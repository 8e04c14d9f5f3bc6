import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { changeOf, keepingChange } from '../../kernel/audit/named-change.ts'
import type { Database } from '../../kernel/database/database.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { updateRow } from '../../kernel/resource/write.ts'
import type { Credentials } from '../../kernel/secrets/login.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import { keepPrevious } from '../../kernel/secrets/versions.ts'
import { findSystemUser, SYSTEM_USERS, type SystemUser } from './find-system-user.ts'
import { assetsSystemUser } from './tables.ts'
import { loadAssetTarget } from './target.ts'

/**
 * A system user's secrets (docs/rules/assets.md#auth-info). Reading them is for
 * components alone; administrators change or clear them, but never read them back.
 */
export function registerSystemUserSecrets(kernel: Kernel, systemUsers: MountedResource): void {
  registerReading(kernel)
  registerChanges(kernel, systemUsers)
}

function registerReading(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: `${SYSTEM_USERS}/:id/auth-info/`,
    config: { access: ['component'], summary: 'A system user with its secrets, for components' },
    handler: async (request) => {
      const row = await findSystemUser(kernel, request, (request.params as { id: string }).id)
      const open = await handOut(kernel, request, row, 'its own secrets')
      const text = (sealed: Buffer | null) => (sealed ? open(sealed) : '')
      const { username, password_sealed, private_key_sealed, token_sealed } = row
      const opened = {
        username,
        password: text(password_sealed),
        privateKey: text(private_key_sealed),
        token: text(token_sealed),
      }
      return authInfo(kernel, request, row, opened)
    },
  })
  registerTargetSecrets(kernel, {
    family: 'asset',
    load: async (db, { id, ...whose }, open) =>
      (await loadAssetTarget({ db }, { assetId: id, ...whose }, open))?.credentials,
  })
}

interface TargetSecrets {
  family: 'asset' | 'application'
  /** The login to use on that target; undefined where there is no such target. */
  load(
    db: Database,
    question: { id: string; systemUserId: string; userId?: string; username?: string },
    open: Opener,
  ): Promise<Credentials | undefined>
}

/** `system-users/{id}/<family>s/{target}/auth-info/`: what a component logs in with on a target. */
export function registerTargetSecrets(kernel: Kernel, { family, load }: TargetSecrets): void {
  kernel.app.route({
    method: 'GET',
    url: `${SYSTEM_USERS}/:id/${family}s/:target_id/auth-info/`,
    config: { access: ['component'], summary: `Secrets to use on an ${family}, for components` },
    handler: async (request) => {
      const { id, target_id } = request.params as { id: string; target_id: string }
      const { user_id, username } = z
        .object({ user_id: z.guid().optional(), username: z.string().max(128).optional() })
        .parse(request.query)
      const row = await findSystemUser(kernel, request, id)
      if (!isUuid(target_id)) throw notFound()
      const person = { ...(user_id ? { userId: user_id } : {}), ...(username ? { username } : {}) }
      const reason = `${family} ${target_id}${user_id ? ` for ${user_id}` : ''}`
      const opened = await kernel.db.transaction(async (db) => {
        const open = await handOut({ db, secrets: kernel.secrets }, request, row, reason)
        const credentials = await load(db, { id: target_id, systemUserId: id, ...person }, open)
        if (!credentials) throw notFound()
        return { ...credentials, token: row.token_sealed ? open(row.token_sealed) : '' }
      })
      return authInfo(kernel, request, row, opened)
    },
  })
}

const { password, private_key, public_key, passphrase, token } = systemUser.fields
const SECRETS = { fields: { password, private_key, public_key, passphrase, token } }

function registerChanges(kernel: Kernel, systemUsers: MountedResource): void {
  const { app } = kernel
  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: `${SYSTEM_USERS}/:id/auth-info/`,
      config: {
        access: ['org_admin', 'component'],
        summary: 'Change the secrets of a system user',
        takes: SECRETS,
      },
      handler: async (request, reply) => {
        const { id } = request.params as { id: string }
        const { password, private_key, public_key, passphrase, token } = (request.body ?? {}) as Record<string, unknown>
        await updateRow(
          systemUsers,
          id,
          'patch',
          { password, private_key, public_key, passphrase, token },
          { ...contextOf(kernel, request), change: changeOf(reply) },
        )
        return authInfo(kernel, request, await findSystemUser(kernel, request, id))
      },
    })
  }
  app.route({
    method: 'DELETE',
    url: `${SYSTEM_USERS}/:id/auth-info/`,
    config: { access: ['org_admin', 'component'], summary: 'Clear the secrets of a system user' },
    handler: async (request, reply) => {
      const row = await findSystemUser(kernel, request, (request.params as { id: string }).id)
      await keepingChange(kernel.db, request, reply, async (db) => {
        await keepPrevious(db, { kind: 'system_user', table: assetsSystemUser, id: row.id })
        await db
          .update(assetsSystemUser)
          .set({
            password_sealed: null,
            private_key_sealed: null,
            token_sealed: null,
            public_key: '',
            ssh_key_fingerprint: '',
          })
          .where(eq(assetsSystemUser.id, row.id))
        await kernel.audit.record(db, request.call, [
          {
            action: 'update',
            resourceType: systemUsers.definition.label,
            resource: `${row.name}(${row.username})`,
            orgId: row.org_id,
            object: { type: systemUsers.definition.name, id: row.id },
            changes: ['password', 'private_key', 'token'].map((field) => ({ field, is_secret: true as const })),
          },
        ])
      })
      return reply.status(204).send()
    },
  })
}

/** Opens a system user's secrets for the component that asks. */
const handOut = (
  { db, secrets }: Pick<Kernel, 'db' | 'secrets'>,
  { call }: FastifyRequest,
  { id, name, username, org_id }: SystemUser,
  reason: string,
): Promise<Opener> =>
  secrets.handOut(db, call, 'component', reason, [
    { kind: 'system_user', id, name: `${name}(${username})`, orgId: org_id },
  ])

/** Fields of a system user in the answer with its secrets. */
const OPEN_FIELDS = [
  'id',
  'name',
  'protocol',
  'login_mode',
  'priority',
  'sudo',
  'shell',
  'ad_domain',
  'sftp_root',
  'username_same_with_user',
  'auto_push',
  'comment',
  'org_id',
] as const

async function authInfo(
  { orgNames }: Kernel,
  { call }: FastifyRequest,
  row: SystemUser,
  opened?: Credentials & { token: string },
) {
  return {
    ...Object.fromEntries(OPEN_FIELDS.map((name) => [name, row[name]])),
    username: opened?.username ?? row.username,
    ...(opened
      ? {
          password: opened.password,
          public_key: row.public_key,
          private_key: opened.privateKey,
          token: opened.token,
        }
      : {}),
    login_mode_display: translate(call.language, row.login_mode === 'auto' ? 'Stored password' : 'Ask each time'),
    org_name: (await orgNames()).get(row.org_id) ?? '',
  }
}
