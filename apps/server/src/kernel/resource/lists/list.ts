import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadContext } from '../mount.ts'
import { presentRows } from '../present.ts'
import { pageOf, wantedFields } from '../query.ts'
import { type PageAnswer, readPage, sourceOf } from '../read.ts'
import type { MountedResource } from '../registry.ts'
import { BATCH, sendAll } from './batches.ts'

/** The request's own address, for the links to other pages. */
export const addressOf = ({ protocol, host, url }: FastifyRequest) => `${protocol}://${host}${url}`

/**
 * The list call: a bare array without `limit`, an envelope with it, as old clients expect
 * (docs/rules/api.md#lists). A long array is sent while it is read.
 */
export async function listRows(
  resource: MountedResource,
  context: ReadContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PageAnswer | Record<string, unknown>[] | FastifyReply> {
  const page = pageOf(context.query)
  if (page) return readPage(resource, context, page, addressOf(request))
  const fields = wantedFields(resource.definition, context.query)
  const source = await sourceOf(resource, context)
  const stored = await source.rows({ limit: BATCH + 1, offset: 0 })
  if (stored.length > BATCH) return sendAll(resource, context, fields, reply)
  return presentRows(resource, stored, fields, context)
}
