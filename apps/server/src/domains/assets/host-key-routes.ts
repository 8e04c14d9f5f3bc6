import { asc, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf, displayName } from '../../kernel/access/call.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { formatDateTime } from '../../kernel/resource/datetime.ts'
import { getAsset } from './asset-routes.ts'
import { acceptHostKey } from './host-key.ts'
import { assetsHostKey } from './tables.ts'

const URL = '/api/v1/assets/assets/:id/host-keys/'

/** The SSH host keys that an asset has shown, and the one decision that only an administrator makes: to trust a changed one. */
export function registerHostKeyRoutes(kernel: Kernel): void {
  const { app, db } = kernel
  const list = async (request: FastifyRequest, assetId: string) => {
    const rows = await db.select().from(assetsHostKey).where(eq(assetsHostKey.asset, assetId)).orderBy(asc(assetsHostKey.date_first_seen))
    const time = (date: Date | null) => date && formatDateTime(date, request.call.timeZone)
    return rows.map(({ date_accepted, date_first_seen, date_last_seen, gateway: _, ...row }) => ({
      ...row,
      date_accepted: time(date_accepted),
      date_first_seen: time(date_first_seen),
      date_last_seen: time(date_last_seen),
    }))
  }
  app.route({
    method: 'GET',
    url: URL,
    config: { access: ['org_admin'], summary: 'SSH host keys of an asset, trusted and refused' },
    handler: async (request) => list(request, (await getAsset(kernel, request, (request.params as { id: string }).id)).id),
  })
  app.route({
    method: 'POST',
    url: `${URL}accept/`,
    config: { access: ['org_admin'], summary: 'Trust a changed SSH host key of an asset from now on' },
    handler: async (request) => {
      const asset = await getAsset(kernel, request, (request.params as { id: string }).id)
      const { id } = z.object({ id: z.guid() }).parse(request.body)
      await db.transaction(async (tx) => {
        const [key] = await tx.select().from(assetsHostKey).where(eq(assetsHostKey.id, id))
        if (key?.asset !== asset.id || !(await acceptHostKey(tx, id, displayName(callerOf(request.call))))) throw notFound()
        await kernel.audit.record(tx, request.call, [
          {
            action: 'update',
            resourceType: 'Host key',
            resource: `${asset.hostname}(${asset.ip}) ${key.host}:${key.port} ${key.fingerprint}`,
            orgId: asset.org_id,
          },
        ])
      })
      return list(request, asset.id)
    },
  })
}
