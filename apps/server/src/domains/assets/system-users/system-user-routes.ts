import { createDecipheriv } from 'node:crypto'
import { WIRE } from '@sallyport/contract/constants.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf, isRoot } from '../../../kernel/access/call.ts'
import { invalid, notFound } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { listRows } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { updateRow } from '../../../kernel/resource/write.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'
import { assetsAccount, assetsAsset, assetsSystemUser } from '../tables.ts'
import { type Credentials, loadConnectionTarget } from '../target.ts'
import { keepTemporaryAuth } from '../temporary-auth.ts'
import { isUsername } from './system-user-rules.ts'

type SystemUser = typeof assetsSystemUser.$inferSelect
const BASE = '/api/v1/assets/system-users'

/** Calls beside the generic ones (contract/assets.yaml system_user extra_endpoints). */
export function registerSystemUserRoutes(kernel: Kernel, systemUsers: MountedResource, assets: MountedResource): void {
  const { app } = kernel
  const address = (request: FastifyRequest) => `${request.protocol}://${request.host}${request.url}`
  const find = (request: FastifyRequest) => findSystemUser(kernel, request, (request.params as { id: string }).id)
  const within = (resource: MountedResource, scope: SQL): MountedResource => ({
    ...resource,
    mount: { ...resource.mount, scope: () => scope },
  })

  app.route({
    method: 'GET',
    url: `${BASE}/su-from/`,
    config: { access: ['org_admin', 'component'], summary: 'Identities that can be switched from' },
    handler: (request) =>
      listRows(
        within(systemUsers, sql`${assetsSystemUser.protocol} = 'ssh' AND ${assetsSystemUser.login_mode} = 'auto'`),
        contextOf(kernel, request),
        address(request),
      ),
  })
  app.route({
    method: 'GET',
    url: `${BASE}/:id/su-to/`,
    config: { access: ['org_admin', 'component'], summary: 'Identities that switch from this one' },
    handler: async (request) =>
      listRows(
        within(systemUsers, eq(assetsSystemUser.su_from, (await find(request)).id)),
        contextOf(kernel, request),
        address(request),
      ),
  })
  app.route({
    method: 'GET',
    url: `${BASE}/:id/assets/`,
    config: { access: ['org_admin'], summary: 'Assets linked to a system user' },
    handler: async (request) => {
      const { id } = await find(request)
      const linked = sql`EXISTS (SELECT 1 FROM ${assetsAccount} WHERE ${assetsAccount.asset} = ${assetsAsset.id} AND ${assetsAccount.systemuser} = ${id})`
      const short: MountedResource = {
        ...assets,
        mount: {
          ...assets.mount,
          scope: () => linked,
          count: async () => undefined,
          present: (row, stored) => ({
            id: row.id,
            hostname: row.hostname,
            ip: row.ip,
            port: stored.port,
            connectivity: row.connectivity,
            date_verified: row.date_verified,
          }),
        },
      }
      return listRows(short, contextOf(kernel, request), address(request))
    },
  })
  registerSecrets(kernel, systemUsers)
  app.route({
    method: 'POST',
    url: `${BASE}/:id/temp-auth/`,
    config: { access: ['authenticated'], summary: 'Keep a typed login for one target for a few minutes' },
    handler: async (request, reply) => {
      const { id } = request.params as { id: string }
      const body = z
        .object({
          instance_id: z.guid(),
          username: z.string().max(128).default(''),
          password: z.string().max(4096).default(''),
          protocol: z.string().max(16).nullish(),
        })
        .parse(request.body)
      // Whoever may use the identity on the target is asked at connect; here a login is only put
      // aside for its owner.
      const [systemUser] = isUuid(id)
        ? await kernel.db.select().from(assetsSystemUser).where(eq(assetsSystemUser.id, id))
        : []
      if (!systemUser) throw notFound()
      if (body.username && !isUsername(body.username, body.protocol || systemUser.protocol))
        throw invalid({ username: 'Special char not allowed' })
      const password = decryptTyped(body.password, request.cookies[WIRE.csrfCookie])
      await keepTemporaryAuth(
        kernel,
        { userId: callerOf(request.call).id, systemUserId: id, target: body.instance_id },
        { username: body.username, password },
      )
      return reply.status(201).send({ instance_id: body.instance_id, username: body.username })
    },
  })
}

async function findSystemUser({ db }: Kernel, { call }: FastifyRequest, id: string): Promise<SystemUser> {
  const [row] = isUuid(id)
    ? await db
        .select()
        .from(assetsSystemUser)
        .where(and(eq(assetsSystemUser.id, id), isRoot(call) ? undefined : eq(assetsSystemUser.org_id, call.org.id)))
    : []
  if (!row) throw notFound()
  return row
}

/**
 * Reading secrets is for components alone; administrators change or clear them, but never read them
 * back.
 */
function registerSecrets(kernel: Kernel, systemUsers: MountedResource): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: `${BASE}/:id/auth-info/`,
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
  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: `${BASE}/:id/auth-info/`,
      config: { access: ['org_admin', 'component'], summary: 'Change the secrets of a system user' },
      handler: async (request) => {
        const { id } = request.params as { id: string }
        const { password, private_key, public_key, passphrase, token } = (request.body ?? {}) as Record<string, unknown>
        await updateRow(
          systemUsers,
          id,
          'patch',
          { password, private_key, public_key, passphrase, token },
          contextOf(kernel, request),
        )
        return authInfo(kernel, request, await findSystemUser(kernel, request, id))
      },
    })
  }
  app.route({
    method: 'DELETE',
    url: `${BASE}/:id/auth-info/`,
    config: { access: ['org_admin', 'component'], summary: 'Clear the secrets of a system user' },
    handler: async (request, reply) => {
      const row = await findSystemUser(kernel, request, (request.params as { id: string }).id)
      await kernel.db.transaction(async (db) => {
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
          },
        ])
      })
      return reply.status(204).send()
    },
  })
  app.route({
    method: 'GET',
    url: `${BASE}/:id/assets/:asset_id/auth-info/`,
    config: { access: ['component'], summary: 'Secrets to use on an asset, for components' },
    handler: async (request) => {
      const { id, asset_id } = request.params as { id: string; asset_id: string }
      const { user_id, username } = z
        .object({ user_id: z.guid().optional(), username: z.string().max(128).optional() })
        .parse(request.query)
      const row = await findSystemUser(kernel, request, id)
      if (!isUuid(asset_id)) throw notFound()
      const open = await handOut(kernel, request, row, `asset ${asset_id}${user_id ? ` for ${user_id}` : ''}`)
      const person = { ...(user_id ? { userId: user_id } : {}), ...(username ? { username } : {}) }
      const target = await loadConnectionTarget(kernel, { assetId: asset_id, systemUserId: id, ...person }, open)
      if (!target) throw notFound()
      const token = row.token_sealed ? open(row.token_sealed) : ''
      return authInfo(kernel, request, row, { ...target.credentials, token })
    },
  })
}

/** Opens a system user's secrets for the component that asks. */
const handOut = (
  kernel: Kernel,
  { call }: FastifyRequest,
  { id, name, username, org_id }: SystemUser,
  reason: string,
): Promise<Opener> =>
  kernel.secrets.handOut(kernel.db, call, 'component', reason, [
    { kind: 'system_user', id, name: `${name}(${username})`, orgId: org_id },
  ])

/** What anybody who asks for its secrets is told of a system user. */
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
    login_mode_display: translate(call.language, row.login_mode === 'auto' ? 'Automatic managed' : 'Manually input'),
    org_name: (await orgNames()).get(row.org_id) ?? '',
  }
}

/**
 * A password that the page encrypted under its CSRF token (AES in ECB mode, zero padding, base64;
 * contract/web-terminal.yaml temp-auth). What can't be decrypted is taken as it is. This hides the
 * password from nobody who sees the cookie: transport security is TLS's.
 */
function decryptTyped(text: string, csrfToken: string | undefined): string {
  if (!csrfToken || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return text
  const bytes = Buffer.from(text, 'base64')
  if (!bytes.length || bytes.length % 16) return text
  const token = Buffer.from(csrfToken.slice(0, 32))
  const key = Buffer.alloc(token.length <= 16 ? 16 : 32)
  token.copy(key)
  try {
    const decipher = createDecipheriv(key.length === 16 ? 'aes-128-ecb' : 'aes-256-ecb', key, null).setAutoPadding(
      false,
    )
    const plain = Buffer.concat([decipher.update(bytes), decipher.final()])
    return new TextDecoder('utf-8', { fatal: true }).decode(plain).replace(/\0+$/, '')
  } catch {
    return text
  }
}
