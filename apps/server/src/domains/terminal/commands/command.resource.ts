import { command } from '@sallyport/contract/resources/terminal/command.ts'
import { inArray, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Database } from '../../../kernel/database/database.ts'
import { insertRows } from '../../../kernel/database/insert-rows.ts'
import { invalid, notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { escapeLike, isUuid, NOTHING, readableBoolean, unreadable } from '../../../kernel/resource/conditions.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { filtersOfRules } from '../../command-filters/index.ts'
import { orgsOfOwnSessions } from '../evidence/own-terminal.ts'
import { terminalCommand, terminalSession, terminalStatement } from '../tables.ts'
import { commandSource, secondsOf, waitingFor } from './command-source.ts'
import { findCommandStorage } from './command-storage.ts'
import { type Destination, destinationsOf } from './due.ts'
import { isOutside } from './elastic/command-indices.ts'
import { registerStatement, statementFacts, textContains } from './statement.ts'

export default function mountCommand(kernel: Kernel): void {
  const resource: MountedResource = mountResource(kernel, command, {
    table: terminalCommand,
    unaudited: true,
    scope: requireStore,
    filters: {
      command_storage_id: storeFilter,
      session_id: (value) => sql`${terminalCommand.session} = ${value}`,
      confirmed: (value) => sql`(${terminalCommand.ticket} IS NOT NULL) = ${readableBoolean('confirmed', value)}`,
      input: textContains,
      // As its index has it.
      user: (value) => sql`lower(${terminalCommand.user}) LIKE lower(${`${escapeLike(value)}%`})`,
      date_from: secondsFilter('>='),
      date_to: secondsFilter('<='),
    },
    source: (context) => commandSource(resource, context),
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
      statementFacts,
    ],
  })
  registerCommandUpload(kernel)
  registerStatement(kernel)
}

/** The time is stored in Unix seconds. */
function secondsFilter(operator: '>=' | '<=') {
  return (value: string, context: ReadContext, name: string) => {
    const seconds = secondsOf(value, context)
    if (seconds === undefined) throw unreadable(name)
    return sql`${terminalCommand.timestamp} ${sql.raw(operator)} ${operator === '>=' ? Math.ceil(seconds) : Math.floor(seconds)}`
  }
}

/**
 * A list must name the storage to read, or a session, whose commands are found in every storage
 * (docs/rules/terminal.md#command). Throws 404.
 */
function requireStore({ query, parameters }: Pick<ReadContext, 'query' | 'parameters'>): undefined {
  const { command_storage_id, session_id, session, ids, spm } = query
  if (parameters.storages !== 'all' && !command_storage_id && !session_id && !session && !ids && !spm) throw notFound()
}

/**
 * The built-in storage has everything that is stored here for good, one outside what waits for it,
 * `null` nothing. Throws 404 for an unknown storage.
 */
async function storeFilter(value: string, { db }: ReadContext): Promise<SQL | undefined> {
  const storage = await findCommandStorage(db, value)
  if (!storage) throw notFound()
  if (storage.type === 'null') return NOTHING
  return waitingFor(isOutside(storage) ? storage.id : undefined)
}

type NewStatement = typeof terminalStatement.$inferInsert

export interface NewCommand extends Omit<typeof terminalCommand.$inferInsert, 'id'> {
  /** The part of a statement that does not fit its row. */
  statement?: Pick<NewStatement, 'text' | 'bytes' | 'database' | 'program'>
  /** And what came of it, once that is known. */
  outcome?: Partial<Pick<NewStatement, 'sha256' | 'milliseconds' | 'rows' | 'error' | 'code'>>
}

/**
 * Stores commands that gateways report; texts that are too long are cut. Those whose id is there
 * already are left as they are. Where they are for a storage outside they wait for it here; where for
 * none, nothing is kept. Answers the ids of those that are new.
 */
export async function appendCommands(
  db: Database,
  commands: readonly (NewCommand & { id?: string })[],
): Promise<Set<string>> {
  const destinations = await destinationsOf(
    db,
    commands.map(({ session }) => session),
  )
  const kept = commands.filter(({ session }) => destinations.get(session) !== 'nowhere')
  const nowhere = commands.flatMap(({ id, session }) => (id && destinations.get(session) === 'nowhere' ? [id] : []))
  const rows = kept.map((command) => rowOf(command, destinations.get(command.session)))
  // A row without what belongs to it would be taken for stored.
  const added = kept.some(({ statement }) => statement)
    ? await db.transaction(async (inside) => {
        const ids = await insertRows(inside, terminalCommand, rows, 'id')
        await appendStatements(inside, kept, ids)
        return ids
      })
    : await insertRows(db, terminalCommand, rows, 'id')
  return new Set([...added, ...nowhere])
}

/** Written out, as rows come by the thousand: a copy of all but some fields takes several times as long. */
function rowOf(command: NewCommand & { id?: string }, destination: Destination): typeof terminalCommand.$inferInsert {
  const row: typeof terminalCommand.$inferInsert = {
    org_id: command.org_id,
    user: shortenUser(command.user),
    asset: command.asset.slice(0, 128),
    system_user: command.system_user.slice(0, 64),
    input: clean(command.input).slice(0, 128),
    output: clean(command.output ?? '').slice(0, 1024),
    session: command.session,
    risk_level: command.risk_level ?? 0,
    rule: command.rule ?? null,
    rule_filter: command.rule_filter ?? null,
    ticket: command.ticket ?? null,
    timestamp: command.timestamp,
    due: typeof destination === 'object' ? destination.due : null,
  }
  if (command.id !== undefined) row.id = command.id
  return row
}

/** Stores the statements of commands that exist. */
async function appendStatements(
  db: Database,
  commands: readonly (NewCommand & { id?: string })[],
  added: ReadonlySet<string>,
): Promise<void> {
  const rows = commands.flatMap(({ id, statement, outcome = {} }) => {
    if (!id || !statement || !added.has(id)) return []
    return {
      command: id,
      text: clean(statement.text),
      bytes: statement.bytes,
      sha256: outcome.sha256 ?? '',
      milliseconds: outcome.milliseconds ?? null,
      rows: outcome.rows ?? null,
      error: outcome.error == null ? null : clean(outcome.error),
      code: outcome.code ?? null,
      database: clean(statement.database ?? ''),
      program: clean(statement.program ?? ''),
    }
  })
  await insertRows(db, terminalStatement, rows, 'command')
}

/** PostgreSQL accepts neither NUL nor half a surrogate pair. */
const clean = (text: string) => text.replaceAll('\0', '').toWellFormed()

/** The first 32 and the last 32 of more than 64 characters. */
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
 * POST commands/: a gateway's batch, answered `ok` (docs/rules/terminal.md#command). Commands
 * belong to the organization of their session, which that gateway must carry.
 */
function registerCommandUpload({ app, db }: Kernel): void {
  app.route({
    method: 'POST',
    url: command.path,
    config: {
      access: ['component'],
      takesMany: true,
      summary: 'Command: store a batch',
      answers: 'text',
      answerStatus: 201,
    },
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
