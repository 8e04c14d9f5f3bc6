import { scimProvider as definition } from '@sallyport/contract/resources/scim/scim-provider.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Call } from '../../kernel/access/call.ts'
import { ownCall } from '../../kernel/access/own-call.ts'
import { hashKey, randomKey } from '../../kernel/access/random-secret.ts'
import { AppError, notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { isInIpGroup } from '../acls/index.ts'
import { type Provider, scimProvider } from './tables.ts'

/** Its use is stored at most this often. */
const NOTE_SECONDS = 60
/** Begins every token, so that scanners for leaked secrets know it. */
const PREFIX = 'sallyport-scim-'

/**
 * `POST …/:id/token/`: makes the provider's token, which replaces an earlier one. It is answered
 * here alone and stored as a hash.
 */
export function registerProviderToken(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: `${definition.path}:id/token/`,
    config: {
      access: ['super_admin'],
      summary: 'SCIM provider: make a new token',
      answerStatus: 201,
      opensWayIn: true,
      takes: { fields: {} },
    },
    handler: async ({ call, params }, reply) => {
      const { id } = params as { id: string }
      const token = PREFIX + randomKey()
      await kernel.db.transaction(async (db) => {
        const [provider] = await db
          .update(scimProvider)
          .set({ token_hash: hashKey(token), date_token: sql`now()` })
          .where(isUuid(id) ? and(eq(scimProvider.id, id), eq(scimProvider.org_id, call.org.id)) : sql`false`)
          .returning({ name: scimProvider.name, org: scimProvider.org_id })
        if (!provider) throw notFound()
        await kernel.audit.record(db, call, [
          {
            action: 'update',
            resourceType: definition.label,
            resource: provider.name,
            orgId: provider.org,
            object: { type: definition.name, id },
            changes: [{ field: 'token', label: 'Token', is_secret: true }],
          },
        ])
      })
      reply.status(201)
      return { token }
    },
  })
}

const UNKNOWN = 'The token is unknown, has expired, or belongs to a provider that is switched off'

/** The provider that calls. Throws 401 for a bad token, and 403 from an address where it does not work. */
export async function providerOf(kernel: Kernel, request: FastifyRequest): Promise<Provider> {
  const [, token] = /^Bearer +(\S{1,200}) *$/i.exec(request.headers.authorization ?? '') ?? []
  const [provider] = token
    ? await kernel.db
        .select()
        .from(scimProvider)
        .where(
          sql`${eq(scimProvider.token_hash, hashKey(token))} AND ${scimProvider.is_active} AND (${scimProvider.date_expired} IS NULL OR ${scimProvider.date_expired} > now())`,
        )
    : []
  if (!provider) throw new AppError(401, 'not_authenticated', UNKNOWN)
  if (!isInIpGroup(request.ip, provider.ip_group))
    throw new AppError(403, 'permission_denied', 'This token may not be used from your address.')
  if (!provider.date_last_used || Date.now() - provider.date_last_used.getTime() > NOTE_SECONDS * 1000)
    await kernel.db.update(scimProvider).set({ date_last_used: sql`now()` }).where(eq(scimProvider.id, provider.id))
  return provider
}

/**
 * The provider's own call in its organization, with the rights of an administrator there: the log of
 * operations names it in place of a person. Its rows say that they come from it (`managed_by`).
 */
export async function callOf(kernel: Kernel, { id, name, org_id }: Provider, request: FastifyRequest): Promise<Call> {
  const user = { id, name, username: 'scim', role: 'Admin' as const }
  return ownCall(kernel, org_id, { user, via: 'scim', remoteAddress: request.ip })
}
