import type {
  MoveKind,
  MoveRemark,
  MoveReport,
  MoveResult,
  MoveRun,
} from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { sql } from 'drizzle-orm'
import type { Call } from '../../kernel/access/call.ts'
import { arrivedSources } from '../../kernel/arrivals/note-arrivals.ts'
import type { Database } from '../../kernel/database/database.ts'
import { type Say, translate } from '../../kernel/i18n/translate.ts'
import { formatDateTime } from '../../kernel/resource/datetime.ts'
import type { Fault, MoveOutcome, OutcomeKind, OutcomeRemark } from './order.ts'
import { isLost, LOST } from './runs.ts'
import { movingRun } from './tables.ts'

type Reader = Pick<Call, 'language' | 'timeZone'>

interface StoredRun extends Record<string, unknown>, Omit<MoveRun, 'fault' | 'rows'> {
  fault: Fault | null
  rows: string
  is_latest: boolean
}

/** All runs that are kept, in the reader's language. */
export async function readMoves(db: Database, reader: Reader): Promise<MoveReport> {
  const say: Say = (english, values) => translate(reader.language, english, values)
  const { rows } = await db.execute<StoredRun>(sql`
    SELECT id, task, node_name, asked_by, source, version, stage, stages_done, stages, rows, date_started,
      CASE WHEN ${isLost} THEN 'failed' ELSE state END AS state,
      CASE WHEN ${isLost} THEN ${JSON.stringify(LOST)}::jsonb ELSE fault END AS fault,
      CASE WHEN ${isLost} THEN date_seen ELSE date_finished END AS date_finished,
      report IS NOT NULL AS has_report, differences IS NOT NULL AS has_differences
    FROM ${movingRun} ORDER BY ${movingRun.date_started} DESC`)
  const runs = rows.map((run) => shown(run, reader, say))
  const latest = runs.find(({ state }) => state !== 'running')
  return {
    current: runs.find(({ state }) => state === 'running') ?? null,
    latest: latest ? { ...latest, result: shownResult(await resultOf(db, latest.id), say) } : null,
    runs,
    installations: await arrivedSources(db, 'jumpserver'),
  }
}

function shown({ fault, rows, ...run }: StoredRun, { timeZone }: Reader, say: Say): MoveRun {
  return {
    ...run,
    rows: Number(rows),
    stage: say(run.stage),
    fault: fault ? say(fault.sentence, fault.values) : '',
    date_started: formatDateTime(new Date(run.date_started), timeZone),
    date_finished: run.date_finished && formatDateTime(new Date(run.date_finished), timeZone),
  }
}

async function resultOf(db: Database, id: string): Promise<MoveOutcome> {
  const { rows } = await db.execute<{ result: MoveOutcome }>(sql`SELECT result FROM ${movingRun} WHERE id = ${id}`)
  return rows[0]?.result ?? {}
}

function shownResult({ counts, kinds, proof, taken }: MoveOutcome, say: Say): MoveResult {
  return {
    ...(counts ? { counts: counts.map(({ label, count }) => ({ label: say(label), count })) } : {}),
    ...(kinds ? { kinds: kinds.map((kind) => shownKind(kind, say)) } : {}),
    ...(proof
      ? { proof: { ...proof, causes: proof.causes.map(({ sentence, count }) => ({ words: say(sentence), count })) } }
      : {}),
    ...(taken ? { taken: taken.map((one) => ({ ...one, label: say(one.label) })) } : {}),
  }
}

const shownKind = ({ label, changed, stays, ...counts }: OutcomeKind, say: Say): MoveKind => ({
  ...counts,
  label: say(label),
  changed: changed.map((one) => shownRemark(one, say)),
  stays: stays.map((one) => shownRemark(one, say)),
})

/** Rows with the same words are one line; those with values of their own have one each. */
function shownRemark({ sentence, count, examples }: OutcomeRemark, say: Say): MoveRemark {
  const texts = Map.groupBy(examples, ({ values }) => say(sentence, values))
  const lines = [...texts].map(([words, rows]) => ({ words, names: rows.map(({ name }) => name) }))
  return { count, lines: lines.length ? lines : [{ words: say(sentence), names: [] }] }
}
