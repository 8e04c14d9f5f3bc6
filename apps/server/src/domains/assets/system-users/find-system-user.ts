import { and, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { isRoot } from '../../../kernel/access/call.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { assetsSystemUser } from '../tables.ts'

export type SystemUser = typeof assetsSystemUser.$inferSelect

export const SYSTEM_USERS = '/api/v1/assets/system-users'

/** The system user `id` of the caller's organisation. Throws 404 where there is none. */
export async function findSystemUser(
  { db }: Kernel,
  { call }: Pick<FastifyRequest, 'call'>,
  id: string,
): Promise<SystemUser> {
  const [row] = isUuid(id)
    ? await db
        .select()
        .from(assetsSystemUser)
        .where(and(eq(assetsSystemUser.id, id), isRoot(call) ? undefined : eq(assetsSystemUser.org_id, call.org.id)))
    : []
  if (!row) throw notFound()
  return row
}
