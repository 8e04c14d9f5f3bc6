import { asc, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf, displayName, isSuperAdmin } from '../../../kernel/access/call.ts'
import { forbidden, notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { getAsset } from '../get-asset.ts'
import { assetsHostKey } from '../tables.ts'
import { getGateway } from './gateway.resource.ts'
import { acceptHostKey } from './host-key.ts'

/**
 * The owners of host keys: assets, and gateways on the way to them. `find` throws 404 for those
 * that the caller may not see.
 */
const OWNERS = {
  asset: {
    base: '/api/v1/assets/assets/:id/host-keys/',
    article: 'an asset',
    find: async (kernel: Kernel, request: FastifyRequest, id: string) => {
      const { id: known, org_id, hostname, ip } = await getAsset(kernel, request, id)
      return { id: known, org_id, words: `${hostname}(${ip})` }
    },
  },
  gateway: {
    base: '/api/v1/assets/gateways/:id/host-keys/',
    article: 'a gateway',
    find: async (kernel: Kernel, request: FastifyRequest, id: string) => {
      const { id: known, org_id, name, ip } = await getGateway(kernel, request, id)
      return { id: known, org_id, words: `${name}(${ip})` }
    },
  },
} as const

const HOST_KEY = {
  fields: plainFields({
    id: 'uuid',
    org_id: 'uuid',
    asset: 'uuid',
    gateway: 'uuid',
    host: 'string',
    port: 'integer',
    key_type: 'string',
    public_key: 'string',
    fingerprint: 'string',
    state: 'string',
    is_moved: 'boolean',
    accepted_by: 'string',
    date_accepted: 'datetime',
    date_first_seen: 'datetime',
    date_last_seen: 'datetime',
  }),
}
const acceptBody = z.object({ id: z.guid() })

/**
 * The SSH host keys that an asset or a gateway has shown, and the decision to trust a changed one,
 * which administrators alone make; system administrators alone, where it was moved.
 */
export function registerHostKeyRoutes(kernel: Kernel): void {
  registerFor(kernel, 'asset')
  registerFor(kernel, 'gateway')
}

function registerFor(kernel: Kernel, kind: keyof typeof OWNERS): void {
  const { app, db } = kernel
  const { base, article, find } = OWNERS[kind]
  const ownerOf = (request: FastifyRequest) => find(kernel, request, (request.params as { id: string }).id)
  const list = async (request: FastifyRequest, owner: string) => {
    const rows = await db
      .select()
      .from(assetsHostKey)
      .where(eq(assetsHostKey[kind], owner))
      .orderBy(asc(assetsHostKey.date_first_seen))
    const time = (date: Date | null) => date && formatDateTime(date, request.call.timeZone)
    return rows.map(({ date_accepted, date_first_seen, date_last_seen, asset: _, gateway: __, ...row }) => ({
      ...row,
      [kind]: owner,
      date_accepted: time(date_accepted),
      date_first_seen: time(date_first_seen),
      date_last_seen: time(date_last_seen),
    }))
  }
  app.route({
    method: 'GET',
    url: base,
    config: {
      access: ['org_admin'],
      summary: `SSH host keys of ${article}, trusted and refused`,
      rows: HOST_KEY,
      answers: 'rows',
    },
    handler: async (request) => list(request, (await ownerOf(request)).id),
  })
  app.route({
    method: 'POST',
    url: `${base}accept/`,
    config: {
      access: ['org_admin'],
      summary: `Trust a changed SSH host key of ${article} from now on`,
      takes: acceptBody,
    },
    handler: async (request) => {
      const owner = await ownerOf(request)
      const { id } = acceptBody.parse(request.body)
      await db.transaction(async (tx) => {
        const [key] = await tx.select().from(assetsHostKey).where(eq(assetsHostKey.id, id))
        // A person who may move a machine must not vouch for the one at its new address.
        if (key?.[kind] === owner.id && key.is_moved && !isSuperAdmin(request.call))
          throw forbidden('Only a system administrator may trust the host key of what was moved')
        if (key?.[kind] !== owner.id || !(await acceptHostKey(tx, id, displayName(callerOf(request.call)))))
          throw notFound()
        await kernel.audit.record(tx, request.call, [
          {
            action: 'update',
            resourceType: 'Host key',
            resource: `${owner.words} ${key.host}:${key.port} ${key.fingerprint}`,
            orgId: owner.org_id,
          },
        ])
      })
      return list(request, owner.id)
    },
  })
}
