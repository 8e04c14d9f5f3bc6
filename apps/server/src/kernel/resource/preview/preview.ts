import { DrizzleQueryError, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../database/database.ts'
import { inPreview, NoPreview, tryOut } from '../../database/previewing.ts'
import { AppError } from '../../errors/app-error.ts'
import type { Kernel } from '../../kernel.ts'
import { Slots } from '../../slots.ts'
import { pageOf, singleValues } from '../query.ts'
import { type Look, previewPartsOf } from './parts.ts'

/** Previews at a time on one node: each holds a connection, and for a moment the rows it writes. */
const AT_A_TIME = 3
/** Names in each list of the answer, where the caller asks for no number. */
const NAMES = 20
/** Rows of rights that one write may touch; more can't be compared in the time that a form waits. */
const MOST_CHANGES = 100_000
/** PostgreSQL's code for a statement that took too long. */
const CANCELED = '57014'

const slots = new Slots(AT_A_TIME)

/** A row that a write has touched, of a table that bears rights, by kind. */
interface Change extends Record<string, unknown> {
  kind: string
  id: string
  other: string | null
  path: string | null
}

/**
 * Answers what a call would change, from the very handler that would change it: it is run twice in a
 * transaction that is rolled back. The first time tells what it touches, so that the state before is
 * asked for that alone; then that state is kept, and it is run again for the state after.
 * @returns for `config.previews` of the route
 */
export function previewed(
  kernel: Kernel,
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
): (request: FastifyRequest) => Promise<unknown> {
  return (request) => slots.use(() => preview(kernel, request, handler), request.call.user?.id)
}

async function preview(
  kernel: Kernel,
  request: FastifyRequest,
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
): Promise<unknown> {
  const { limit, offset } = pageOf(singleValues(request.query)) ?? { limit: NAMES, offset: 0 }
  const { body } = request
  const write = async () => {
    // Rules may fill in what was sent.
    request.body = Buffer.isBuffer(body) ? body : structuredClone(body)
    await handler(request, silentReply(request))
  }
  try {
    return await inPreview(kernel.pool, async (db) => {
      const look: Look = { db, call: request.call, page: { limit, offset } }
      const parts = previewPartsOf(kernel).map((part) => ({ part, first: undefined, before: undefined }))
      await beginNoting(db)
      const changes = await tryOut(db, async (inner) => {
        await write()
        for (const one of parts) one.first = await one.part.first?.({ ...look, db: inner })
        return readChanges(inner)
      })
      await keepChanges(db, changes)
      for (const one of parts) one.before = await one.part.before(look, one.first)
      await write()
      const answer = {}
      for (const { part, before } of parts) Object.assign(answer, await part.after(look, before))
      return answer
    })
  } catch (error) {
    throw previewError(error)
  }
}

/** What ended a preview, as the refusal that it is; anything else as it came. */
export function previewError(error: unknown): unknown {
  const { code } = (error instanceof DrizzleQueryError ? error.cause : error) as { code?: unknown }
  if (code === CANCELED) return tooLarge()
  if (error instanceof NoPreview)
    return new AppError(400, 'no_preview', 'This change reaches beyond the database: it has no preview.')
  return error
}

const tooLarge = () => new AppError(400, 'no_preview', 'This change is too large to be shown beforehand.')

/** From here on triggers note what is written to tables that bear rights (`kernel_watch_rights`). */
async function beginNoting(db: Database): Promise<void> {
  await db.execute(sql`CREATE TEMP TABLE preview_change (kind text, id uuid, other uuid, path ltree) ON COMMIT DROP`)
  // Compiling its few large statements would take longer than they do.
  await db.execute(sql`SELECT set_config('sallyport.preview', 'on', true), set_config('jit', 'off', true)`)
}

async function readChanges(db: Database): Promise<Change[]> {
  const { rows } = await db.execute<Change>(
    sql`SELECT DISTINCT kind, id, other, path::text FROM preview_change LIMIT ${MOST_CHANGES + 1}`,
  )
  if (rows.length > MOST_CHANGES) throw tooLarge()
  return rows
}

async function keepChanges(db: Database, changes: readonly Change[]): Promise<void> {
  await db.execute(sql`INSERT INTO preview_change
    SELECT kind, id, other, path::ltree FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS c (kind text, id uuid, other uuid, path text)`)
}

/** A handler may set status and headers of its answer, and send it: here nobody gets that. */
function silentReply(request: FastifyRequest): FastifyReply {
  const reply: unknown = new Proxy(
    {},
    {
      get(_, name) {
        if (name === 'request') return request
        // Or those who await it would wait for ever.
        return name === 'then' ? undefined : () => reply
      },
    },
  )
  return reply as FastifyReply
}
