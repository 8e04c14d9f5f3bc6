import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerOf, displayName, isRoot } from '../../../kernel/access/call.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { assetsServerKey } from '../tables.ts'

const BASE = '/api/v1/assets/server-keys/'
const SERVER_KEY = {
  fields: plainFields({
    id: 'uuid',
    org_id: 'uuid',
    target: 'uuid',
    host: 'string',
    port: 'integer',
    fingerprint: 'string',
    state: 'string',
    accepted_by: 'string',
    date_accepted: 'datetime',
    date_first_seen: 'datetime',
    date_last_seen: 'datetime',
  }),
}
const acceptBody = z.object({ id: z.guid() })

/**
 * The keys that TLS servers of targets have shown, and the decision to trust a changed one, which
 * administrators alone make.
 */
export function registerServerKeyRoutes(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'GET',
    url: BASE,
    config: {
      access: ['org_admin'],
      summary: 'TLS keys of servers of a target (target=id)',
      rows: SERVER_KEY,
      answers: 'rows',
    },
    handler: async (request) => {
      const { target = '' } = singleValues(request.query)
      const rows = await db
        .select()
        .from(assetsServerKey)
        .where(and(inOrg(request), eq(sql`${assetsServerKey.target}::text`, target)))
        .orderBy(asc(assetsServerKey.date_first_seen))
      const time = (date: Date | null) => date && formatDateTime(date, request.call.timeZone)
      return rows.map(({ date_accepted, date_first_seen, date_last_seen, ...row }) => ({
        ...row,
        date_accepted: time(date_accepted),
        date_first_seen: time(date_first_seen),
        date_last_seen: time(date_last_seen),
      }))
    },
  })
  app.route({
    method: 'POST',
    url: `${BASE}accept/`,
    config: {
      access: ['org_admin'],
      summary: 'Trust a changed TLS key of a server from now on',
      takes: acceptBody,
    },
    handler: async (request, reply) => {
      const { id } = acceptBody.parse(request.body)
      await db.transaction(async (tx) => {
        const [key] = await tx
          .update(assetsServerKey)
          .set({
            state: 'pinned',
            accepted_by: displayName(callerOf(request.call)),
            date_accepted: sql`now()`,
          })
          .where(and(inOrg(request), eq(assetsServerKey.id, id), eq(assetsServerKey.state, 'refused')))
          .returning()
        if (!key) throw notFound()
        const { target, host, port, fingerprint, org_id: orgId } = key
        const others = and(
          eq(assetsServerKey.target, target),
          eq(assetsServerKey.host, host),
          ne(assetsServerKey.id, id),
        )
        await tx.delete(assetsServerKey).where(and(others, eq(assetsServerKey.port, port)))
        await kernel.audit.record(tx, request.call, [
          { action: 'update', resourceType: 'Host key', resource: `${host}:${port} ${fingerprint}`, orgId },
        ])
      })
      return reply.status(200).send({ id })
    },
  })
}

const inOrg = ({ call }: FastifyRequest): SQL | undefined =>
  isRoot(call) ? undefined : eq(assetsServerKey.org_id, call.org.id)
