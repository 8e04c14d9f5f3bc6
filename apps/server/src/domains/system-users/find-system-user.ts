import type { FastifyRequest } from 'fastify'
import type { Kernel } from '../../kernel/kernel.ts'
import { rowInOrg } from '../../kernel/resource/row-in-org.ts'
import { assetsSystemUser } from './tables.ts'

export type SystemUser = typeof assetsSystemUser.$inferSelect

export const SYSTEM_USERS = '/api/v1/assets/system-users'

/** The system user `id` of the caller's organization. Throws 404 where there is none. */
export async function findSystemUser(
  { db }: Kernel,
  { call }: Pick<FastifyRequest, 'call'>,
  id: string,
): Promise<SystemUser> {
  return rowInOrg(db, call, assetsSystemUser, id)
}
