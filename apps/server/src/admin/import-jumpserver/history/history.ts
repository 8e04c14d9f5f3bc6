import { readSettingsInForce, type SettingName } from '../../../domains/settings/index.ts'
import type { ArrivalRun, ArrivingRow, Outcomes } from '../../../kernel/arrivals/arrival.ts'
import { historyPosition, keepHistoryPosition } from '../../../kernel/arrivals/history.ts'
import { bring, type ImportContext } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { date } from '../values.ts'

/** The product, as rows of history name it. */
export const PRODUCT = 'JumpServer'
const DAY_MS = 86_400_000
/**
 * Each run reads again what happened this short before the last row of the run before: components send
 * rows in late, and sessions go on meanwhile.
 */
export const OVERLAP_DAYS = 3

/** A table of theirs that is history: its rows never change. */
export interface HistoryKind {
  /** English label in plural. */
  label: string
  table: string
  columns: readonly string[]
  /** Column of the time, and whether it has Unix seconds. */
  time: string
  isSeconds?: boolean
  /** The setting by which rows are removed here; what would go the next night does not come. */
  keptBy?: SettingName
  /** Undefined where the row stays behind, which it notes. */
  rowOf(row: SourceRow, notes: KindNotes): ArrivingRow | undefined
  arrive(run: ArrivalRun, rows: readonly ArrivingRow[]): Promise<Outcomes>
}

/** Brings one table, a chunk in each transaction. The next run goes on where this one has come to. */
export async function importHistory(context: ImportContext, kind: HistoryKind): Promise<void> {
  const { source, report, run } = context
  const { label, table, columns, time, isSeconds = false, rowOf, arrive } = kind
  const notes = report.kind(label)
  const first = await firstTime(context, kind)
  const before = await historyPosition(run, table)
  if (before) await noteBefore(context, kind, before.first, notes)
  else if (first) await noteOlder(context, kind, first, notes)
  const since = before && new Date(timeOf(before.at, isSeconds) - OVERLAP_DAYS * DAY_MS)
  const from = later(first, since) ?? new Date(0)
  for await (const batch of source.readHistory({ table, columns, time, from: written(from, isSeconds) })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => rowOf(row, notes) ?? [])
    const last = batch.at(-1)
    await inChunk(context, async (within) => {
      await bring(within, notes, arrive, rows)
      const [at, id] = [last?.[time], last?.id]
      if (at && id && timeOf(at, isSeconds) <= Date.now()) {
        const began = before ? before.first : first
        await keepHistoryPosition(within.run, table, { at, id, ...(began ? { first: began } : {}) })
      }
    })
  }
}

/** Works in a transaction of its own; the transaction around it in a dry run. */
export const inChunk = <T>(context: ImportContext, work: (within: ImportContext) => Promise<T>): Promise<T> =>
  context.run.db.transaction((db) => work({ ...context, run: { ...context.run, db } }))

/** The first time that may come; undefined for all. */
async function firstTime(
  { run, secrets, config, history }: ImportContext,
  { keptBy }: HistoryKind,
): Promise<Date | undefined> {
  if (!keptBy) return history.from
  const settings = await readSettingsInForce({ db: run.db, secrets, config })
  const days = Math.max(Number(settings[keptBy]), config.keepAtLeastDays)
  return later(history.from, new Date(Date.now() - days * DAY_MS))
}

async function noteOlder(
  { source }: ImportContext,
  { table, time, isSeconds = false, keptBy }: HistoryKind,
  first: Date,
  notes: KindNotes,
): Promise<void> {
  const older = await source.count(table, { column: time, value: written(first, isSeconds) })
  notes.read += older
  notes.behind += older
  notes.many(
    older,
    keptBy
      ? 'Older than such rows are kept here, or than was asked for: raise the days in the settings first to have them'
      : 'Older than was asked for',
  )
}

/** Later runs go on from where the first one began, whatever is asked for now. */
async function noteBefore(
  { source }: ImportContext,
  { table, time, isSeconds = false }: HistoryKind,
  first: Date | undefined,
  notes: KindNotes,
): Promise<void> {
  if (!first) return
  const older = await source.count(table, { column: time, value: written(first, isSeconds) })
  notes.read += older
  notes.behind += older
  notes.many(older, 'Older than where the first run began, and later runs go on from there')
}

const later = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one > other ? one : other) : (one ?? other)

/** A time as their databases compare it. */
const written = (at: Date, isSeconds: boolean): string =>
  isSeconds ? String(Math.floor(at.getTime() / 1000)) : at.toISOString().replace('T', ' ').replace('Z', '')

const timeOf = (at: string, isSeconds: boolean): number =>
  isSeconds ? Number(at) * 1000 || 0 : Date.parse(date(at) ?? new Date(0).toISOString())
