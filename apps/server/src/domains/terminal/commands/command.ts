import { command } from '@sallyport/contract/resources/terminal/command.ts'
import { inArray, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid, notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid, NOTHING } from '../../../kernel/resource/conditions.ts'
import { parseDateTime } from '../../../kernel/resource/datetime.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { filtersOfRules } from '../../assets/index.ts'
import { orgsOfOwnSessions } from '../own-terminal.ts'
import { terminalCommand, terminalSession, terminalStatement } from '../tables.ts'
import { findCommandStorage } from './command-storage.ts'

const ROWS_PER_INSERT = 1000

export function mountCommand(kernel: Kernel): MountedResource {
  const resource = mountResource(kernel, command, {
    table: terminalCommand,
    unaudited: true,
    scope: ({ query }) => requireStore(query),
    filters: {
      command_storage_id: storeFilter,
      session_id: (value) => sql`${terminalCommand.session} = ${value}`,
      confirmed: (value) => sql`(${terminalCommand.ticket} IS NOT NULL) = ${value === 'true' || value === '1'}`,
      date_from: secondsFilter('>='),
      date_to: secondsFilter('<='),
    },
    computed: [
      {
        fields: ['remote_addr'],
        load: async (rows, { db }) => {
          const ids = [...new Set(rows.map((row) => row.session))].filter(isUuid)
          const found = ids.length
            ? await db
                .select({ id: terminalSession.id, remote_addr: terminalSession.remote_addr })
                .from(terminalSession)
                .where(inArray(terminalSession.id, ids))
            : []
          const addresses = new Map(found.map((row) => [row.id, row.remote_addr ?? '']))
          return rows.map((row) => ({ remote_addr: addresses.get(row.session) ?? '' }))
        },
      },
      {
        fields: ['rule_filter_id'],
        load: async (rows, { db }) => {
          const filters = await filtersOfRules(db, [...new Set(rows.flatMap(({ rule }) => rule ?? []))])
          return rows.map(({ rule }) => ({ rule_filter_id: (rule && filters.get(rule)) ?? null }))
        },
      },
    ],
  })
  registerCommandUpload(kernel)
  return resource
}

/** The time is stored in Unix seconds. */
function secondsFilter(operator: '>=' | '<=') {
  return (value: string, { call }: ReadContext) => {
    const seconds = /^\d{1,12}$/.test(value)
      ? Number(value)
      : (parseDateTime(value, call.timeZone)?.getTime() ?? Number.NaN) / 1000
    return Number.isNaN(seconds)
      ? undefined
      : sql`${terminalCommand.timestamp} ${sql.raw(operator)} ${operator === '>=' ? Math.ceil(seconds) : Math.floor(seconds)}`
  }
}

/**
 * A list must name the storage to read, or a session, whose commands are found in every storage
 * (contract/terminal.yaml command rules). Throws 404.
 */
function requireStore({ command_storage_id, session_id, session, ids, spm }: ReadContext['query']): undefined {
  if (!command_storage_id && !session_id && !session && !ids && !spm) throw notFound()
}

/**
 * The built-in storage has everything that is stored here, `null` nothing. Throws 404 for an
 * unknown storage.
 */
async function storeFilter(value: string, { db }: ReadContext): Promise<SQL | undefined> {
  const storage = await findCommandStorage(db, value)
  if (!storage) throw notFound()
  return storage.type === 'server' ? undefined : NOTHING
}

type NewStatement = typeof terminalStatement.$inferInsert

export interface NewCommand extends Omit<typeof terminalCommand.$inferInsert, 'id'> {
  /** Of a statement: what its row has no room for. */
  statement?: Pick<NewStatement, 'text' | 'bytes' | 'database' | 'program'>
  /** And what came of it, once that is known. */
  outcome?: Partial<Pick<NewStatement, 'sha256' | 'milliseconds' | 'rows' | 'error' | 'code'>>
}

/**
 * Stores commands that gateways report; texts that are too long are cut. Those whose id is there
 * already are left as they are. Answers the ids of those that are new.
 */
export async function appendCommands(
  db: Database,
  commands: readonly (NewCommand & { id?: string })[],
): Promise<Set<string>> {
  const rows = commands.map(({ statement: _, outcome: __, ...row }) => ({
    ...row,
    user: shortenUser(row.user),
    asset: row.asset.slice(0, 128),
    system_user: row.system_user.slice(0, 64),
    input: clean(row.input).slice(0, 128),
    output: clean(row.output ?? '').slice(0, 1024),
  }))
  // A row without what belongs to it would be taken for stored.
  if (!commands.some(({ statement }) => statement)) return insertCommands(db, rows)
  return db.transaction(async (inside) => {
    const added = await insertCommands(inside, rows)
    await appendStatements(inside, commands, added)
    return added
  })
}

async function insertCommands(
  db: Database,
  rows: readonly (typeof terminalCommand.$inferInsert)[],
): Promise<Set<string>> {
  const added = new Set<string>()
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    const some = rows.slice(start, start + ROWS_PER_INSERT)
    const stored = await db
      .insert(terminalCommand)
      .values(some)
      .onConflictDoNothing()
      .returning({ id: terminalCommand.id })
    for (const { id } of stored) added.add(id)
  }
  return added
}

/** Of commands that are there: what belongs to them as statements. */
async function appendStatements(
  db: Database,
  commands: readonly (NewCommand & { id?: string })[],
  added: ReadonlySet<string>,
): Promise<void> {
  const rows = commands.flatMap(({ id, statement, outcome = {} }) => {
    if (!id || !statement || !added.has(id)) return []
    const error = outcome.error == null ? null : clean(outcome.error)
    const { database = '', program = '' } = statement
    return {
      ...statement,
      ...outcome,
      error,
      command: id,
      text: clean(statement.text),
      database: clean(database),
      program: clean(program),
    }
  })
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
    await db
      .insert(terminalStatement)
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .onConflictDoNothing()
}

/** PostgreSQL accepts neither NUL nor half a surrogate pair. */
const clean = (text: string) => text.replaceAll('\0', '').toWellFormed()

/** Of more than 64 characters, the first 32 and the last 32. */
const shortenUser = (user: string) => (user.length > 64 ? user.slice(0, 32) + user.slice(-32) : user)

const rowSchema = z.object({
  user: z.string().min(1).max(1024),
  asset: z.string().min(1).max(1024),
  system_user: z.string().min(1).max(1024),
  input: z.string(),
  output: z.string().default(''),
  session: z.guid(),
  risk_level: z.coerce
    .number()
    .pipe(z.union([z.literal(0), z.literal(5)]))
    .default(0),
  org_id: z.string().max(36).nullish(),
  timestamp: z.coerce.number().int().min(0).max(253_402_300_799),
})

/**
 * POST commands/: a gateway's batch, answered `ok` (contract/terminal.yaml). Commands belong to the
 * organisation of their session, which that gateway must carry.
 */
function registerCommandUpload({ app, db }: Kernel): void {
  app.route({
    method: 'POST',
    url: command.path,
    config: { access: ['component'], summary: 'Command: store a batch' },
    handler: async (request, reply) => {
      const parsed = z.array(rowSchema).max(10_000).safeParse(request.body)
      if (!parsed.success) throw parsed.error
      const ids = [...new Set(parsed.data.map((row) => row.session.toLowerCase()))]
      const orgs = await orgsOfOwnSessions(db, request.call, ids)
      const rows = parsed.data.map((row, index) => {
        const org_id = orgs.get(row.session.toLowerCase())
        if (!org_id) throw invalid({ [`${index}.session`]: 'Not found.' })
        return { ...row, org_id }
      })
      await appendCommands(db, rows)
      return reply.status(201).type('text/plain').send('ok')
    },
  })
}
