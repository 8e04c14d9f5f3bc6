import type { FastifyRequest } from 'fastify'
import type { Kernel } from '../../kernel/kernel.ts'
import { rowInOrg } from '../../kernel/resource/row-in-org.ts'
import { assetsAsset } from './tables.ts'

export type Asset = typeof assetsAsset.$inferSelect

/** An asset of the caller's organization. Throws 404. */
export async function getAsset({ db }: Kernel, { call }: Pick<FastifyRequest, 'call'>, id: string): Promise<Asset> {
  return rowInOrg(db, call, assetsAsset, id)
}
