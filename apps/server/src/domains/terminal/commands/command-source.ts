import { eq, sql } from 'drizzle-orm'
import { isRoot } from '../../../kernel/access/call.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { once } from '../../../kernel/once.ts'
import { isUuid, listConditions, readBoolean } from '../../../kernel/resource/conditions.ts'
import { parseDateTime } from '../../../kernel/resource/datetime.ts'
import type { ReadContext, RowSource, StoredRow } from '../../../kernel/resource/mount.ts'
import { list, type Page } from '../../../kernel/resource/query.ts'
import { selectRows } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { selectedIds } from '../../../kernel/resource/selection.ts'
import { terminalCommand } from '../tables.ts'
import { findCommandStorage } from './command-storage.ts'
import { ClusterError } from './elastic/cluster.ts'
import { type CommandIndex, MAX_FOUND } from './elastic/command-index.ts'
import { commandIndexOf, commandIndices } from './elastic/command-indices.ts'
import type { CommandOutside } from './elastic/document.ts'
import type { CommandsWanted } from './elastic/search.ts'
import { storedCommands } from './stored-commands.ts'

/** In Unix seconds; undefined for what is no date. */
export function secondsOf(value: string | undefined, { call }: Pick<ReadContext, 'call'>): number | undefined {
  if (!value) return undefined
  if (/^\d{1,12}$/.test(value)) return Number(value)
  const time = parseDateTime(value, call.timeZone)?.getTime()
  return time === undefined || Number.isNaN(time) ? undefined : time / 1000
}

/**
 * The rows of a list of commands that names a storage outside, or none: of a session, or of a selection, every
 * storage that answers is read, and the rows are merged (docs/rules/terminal.md#command).
 * Undefined where the table has all of them, and they are not asked for by pages. Throws 400 when the one that was named does not answer.
 */
export async function commandSource(commands: MountedResource, context: ReadContext): Promise<RowSource | undefined> {
  const { kernel, query } = context
  const named = query.command_storage_id
  if (!named) {
    const indices = (await commandIndices(kernel)).filter((index) => !index.isResting)
    return indices.length ? mergedSource(commands, context, indices, true) : storedCommands(commands, context)
  }
  const storage = await findCommandStorage(kernel.db, named)
  const index = storage && commandIndexOf(kernel, storage)
  if (!index) return storedCommands(commands, context)
  return mergedSource(commands, context, [index], false)
}

/** Route parameters are not the client's: by this one a call of ours reads all storages. */
export const ofAllStorages = (context: ReadContext): ReadContext => ({
  ...context,
  parameters: { ...context.parameters, storages: 'all' },
})

/** The rows of the table and of every storage that answers, for any query. */
export async function sourceOfAll(commands: MountedResource, context: ReadContext): Promise<RowSource> {
  const indices = (await commandIndices(context.kernel)).filter((index) => !index.isResting)
  return mergedSource(commands, context, indices, true)
}

async function mergedSource(
  commands: MountedResource,
  context: ReadContext,
  indices: readonly CommandIndex[],
  lenient: boolean,
): Promise<RowSource> {
  const { where } = await listConditions(commands, context)
  const wanted = await wantedBy(context)
  const ascending = list(context.query.order).includes('timestamp')
  const [row] = await context.db.select({ here: sql<number>`count(*)::int` }).from(terminalCommand).where(where)
  const here = row?.here ?? 0
  const ask = <T>(nothing: T, work: (index: CommandIndex) => Promise<T>) =>
    Promise.all(indices.map((index) => work(index).catch((error) => orNothing(error, lenient, nothing))))
  const counts = once(() => ask(0, async (index) => Math.min(await index.count(wanted), MAX_FOUND)))
  return {
    async count() {
      return (await counts()).reduce((sum, one) => sum + one, here)
    },
    async rows(page = { limit: here + indices.length * MAX_FOUND, offset: 0 }) {
      if (!here && indices.length === 1) {
        const [found = []] = await ask([], (index) => index.find(wanted, { ...page, ascending }))
        return found as unknown as StoredRow[]
      }
      const first: Page = { limit: page.offset + page.limit, offset: 0 }
      const [stored, ...found] = await Promise.all([
        selectRows(commands, where, context, first),
        ...indices.map((index) =>
          index.find(wanted, { ...first, ascending }).catch((error) => orNothing(error, lenient, [])),
        ),
      ])
      return merged([...stored, ...(found.flat() as unknown as StoredRow[])], ascending).slice(
        page.offset,
        page.offset + page.limit,
      )
    },
  }
}

/** In time, each once: one that was brought just now is in both places for a moment. */
function merged(rows: readonly StoredRow[], ascending: boolean): StoredRow[] {
  const sign = ascending ? 1 : -1
  const key = (row: StoredRow) => [Number(row.timestamp), String(row.id)] as const
  return [...new Map(rows.map((row) => [row.id, row])).values()].sort((a, b) => {
    const [[time, id], [otherTime, otherId]] = [key(a), key(b)]
    return sign * (time - otherTime || (id < otherId ? -1 : id > otherId ? 1 : 0))
  })
}

function orNothing<T>(error: unknown, lenient: boolean, nothing: T): T {
  if (!(error instanceof ClusterError)) throw error
  if (lenient) return nothing
  if (error.fault === 'partial')
    throw new AppError(400, 'storage_invalid', 'A part of this storage cannot be reached now', { cause: error })
  throw new AppError(400, 'storage_invalid', 'This storage does not answer', { cause: error })
}

/** The filters of a list call, as a storage outside gets them. */
export async function wantedBy(context: ReadContext): Promise<CommandsWanted> {
  const { db, call, query } = context
  const ids = [...(query.ids ? [list(query.ids)] : []), ...(query.spm ? [await selectedIds(db, call, query.spm)] : [])]
  const risk = Number(query.risk_level || Number.NaN)
  const [from, to] = [secondsOf(query.date_from, context), secondsOf(query.date_to, context)]
  return {
    org: isRoot(call) ? undefined : call.org.id,
    ids: ids.length ? ids.reduce((all, some) => all.filter((id) => some.includes(id))) : undefined,
    session: query.session_id || query.session || undefined,
    user: query.user || undefined,
    asset: query.asset || undefined,
    system_user: query.system_user || undefined,
    input: query.input || undefined,
    // A level that is none is nobody's.
    risk_level: query.risk_level ? (Number.isInteger(risk) ? risk : -1) : undefined,
    confirmed: query.confirmed ? readBoolean(query.confirmed) === true : undefined,
    from: from === undefined ? undefined : Math.ceil(from),
    to: to === undefined ? undefined : Math.floor(to),
  }
}

/** What every storage outside that answers says to a question. */
async function askOutside<T>(kernel: ReadContext['kernel'], work: (index: CommandIndex) => Promise<T>): Promise<T[]> {
  const indices = (await commandIndices(kernel)).filter((index) => !index.isResting)
  const answers = await Promise.all(
    indices.map((index) => work(index).catch((error) => orNothing(error, true, undefined))),
  )
  return answers.filter((answer) => answer !== undefined)
}

/** How many commands each of these sessions has in the storages outside that answer. */
export async function countOutside(
  kernel: ReadContext['kernel'],
  sessions: readonly string[],
  riskLevel?: number,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  if (!sessions.length) return counts
  for (const found of await askOutside(kernel, (index) => index.countBySession(sessions, riskLevel)))
    for (const [session, count] of found) counts.set(session, (counts.get(session) ?? 0) + count)
  return counts
}

/** The first commands in time that the storages outside have, as far as they answer. */
export async function commandsOutside(
  kernel: ReadContext['kernel'],
  wanted: CommandsWanted,
  limit: number,
): Promise<CommandOutside[]> {
  return (await askOutside(kernel, (index) => index.find(wanted, { limit, offset: 0, ascending: true }))).flat()
}

/** The condition for what waits for a storage, or, without one, for nothing but the server's own. */
export const waitingFor = (storage: string | undefined) =>
  storage && isUuid(storage) ? eq(terminalCommand.due, storage) : sql`${terminalCommand.due} IS NULL`
