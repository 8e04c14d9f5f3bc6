import { SELECTION_TTL_SECONDS } from '@sallyport/contract/constants.ts'
import { sql } from 'drizzle-orm'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { type Call, callerOf } from '../access/call.ts'
import { dateTime } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { invalid } from '../errors/app-error.ts'
import type { Kernel } from '../kernel.ts'
import { plainFields } from './plain-fields.ts'

/**
 * Rows that a person selected, stored for a short while under a reference (`spm`) that every list
 * understands.
 */
const kernelSelection = pgTable('kernel_selection', {
  id: uuid('id').primaryKey().default(sql`gen_random_uuid()`),
  user_id: uuid('user_id').notNull(),
  resources: text('resources').array().notNull(),
  date_expired: dateTime('date_expired').notNull(),
})

const MAX_SELECTED = 100_000
/** Limit of an id, in characters; most are UUIDs. */
const MAX_LENGTH = 128
/** Selections of one person that are kept at a time: the newest, so that nobody fills the disk. */
const MAX_KEPT = 50
const UUID = /^[0-9a-f-]{36}$/i

/** The ids behind a reference; empty when it is expired, unknown or somebody else's. */
export async function selectedIds(db: Database, call: Call, spm: string): Promise<string[]> {
  if (!UUID.test(spm) || !call.user) return []
  const [row] = await db
    .select({ resources: kernelSelection.resources })
    .from(kernelSelection)
    .where(
      sql`${kernelSelection.id} = ${spm} AND ${kernelSelection.user_id} = ${call.user.id} AND ${kernelSelection.date_expired} > now()`,
    )
  return row?.resources ?? []
}

const isId = (text: string) => text.length <= MAX_LENGTH && !text.includes('\0')

/** POST /api/v1/common/resources/cache/ (B7.39). */
export function registerSelection({ app, db, jobs }: Kernel): void {
  app.route({
    method: 'POST',
    url: '/api/v1/common/resources/cache/',
    config: {
      access: ['authenticated'],
      summary: 'Keep a selection of rows and get a reference to it',
      takesMany: true,
      takes: { fields: { resources: { type: 'strings', label: 'Resources', required: true } } },
      answers: { fields: plainFields({ spm: 'uuid' }) },
    },
    handler: async (request) => {
      const { resources = [] } = (request.body ?? {}) as { resources?: unknown }
      if (
        !Array.isArray(resources) ||
        resources.some((one) => !['string', 'number'].includes(typeof one) || !isId(String(one)))
      ) {
        throw invalid({ resources: 'Expected a list of ids.' })
      }
      if (resources.length > MAX_SELECTED) throw invalid({ resources: 'Too many rows are selected.' })
      const { id } = callerOf(request.call)
      await db.execute(sql`DELETE FROM ${kernelSelection} WHERE id IN (
        SELECT id FROM ${kernelSelection} WHERE user_id = ${id} ORDER BY date_expired DESC OFFSET ${MAX_KEPT - 1})`)
      const [row] = await db
        .insert(kernelSelection)
        .values({
          user_id: id,
          resources: resources.map(String),
          date_expired: sql`now() + make_interval(secs => ${SELECTION_TTL_SECONDS})`,
        })
        .returning({ spm: kernelSelection.id })
      return row
    },
  })
  jobs.schedule(
    { name: 'kernel.forget_selections', cron: '*/10 * * * *', title: 'Forget old selections of rows' },
    async () => {
      await db.delete(kernelSelection).where(sql`${kernelSelection.date_expired} < now()`)
    },
  )
}
