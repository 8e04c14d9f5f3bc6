import type {
  CapacityDay,
  CapacityFigures,
  CapacityMachine,
  CapacityNode,
  CapacityReport,
  CapacityRun,
  CapacityState,
} from '@sallyport/contract/resources/monitor/capacity.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { type Language, type Say, translate } from '../../../kernel/i18n/translate.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { monitorCapacity, monitorCapacityDay } from '../tables.ts'
import { isLost, isMeasurable, lostFault } from './ask.ts'
import { capacityOf } from './model.ts'
import { faultWords, figureTitles, fullFirst, partTitles, sentenceOf } from './words.ts'

const RUNS = 100
const DAYS = 31

export interface Reader {
  language: Language
  timeZone: string
}

interface StoredRun extends Record<string, unknown> {
  id: string
  node: string
  node_name: string
  state: CapacityState
  fault: string
  asked_by: string
  date_asked: string
  date_finished: string | null
  done: number
  total: number
  figures: CapacityFigures
  machine: CapacityMachine | null
  is_newest: boolean
}

/** All measurements, in words and figures. */
export async function readReport(db: Database, reader: Reader, limit: number): Promise<CapacityReport> {
  const say: Say = (english, values) => translate(reader.language, english, values)
  const [{ rows: nodes }, { rows: stored }, { rows: days }] = await Promise.all([
    db.execute<CapacityNode & Record<string, unknown>>(sql`
      SELECT id, name, ${isMeasurable} AS is_measurable FROM kernel_node
      WHERE is_running OR id IN (SELECT node FROM ${monitorCapacity}) ORDER BY name`),
    db.execute<StoredRun>(sql`
      SELECT id, node, node_name, asked_by, date_asked, done, total, figures, machine,
        CASE WHEN ${isLost} THEN 'failed' ELSE state END AS state,
        CASE WHEN ${isLost} THEN ${lostFault} ELSE fault END AS fault,
        CASE WHEN ${isLost} THEN date_seen ELSE date_finished END AS date_finished,
        state = 'done' AND id = first_value(id) OVER (PARTITION BY node, state ORDER BY date_asked DESC) AS is_newest
      FROM ${monitorCapacity} ORDER BY date_asked DESC LIMIT ${RUNS}`),
    db.execute<CapacityDay & Record<string, unknown>>(sql`
      SELECT day.node, coalesce(kernel_node.name, '') AS node_name, day.day::text, day.sessions, day.opened,
        day.commands, day.percent
      FROM ${monitorCapacityDay} AS day LEFT JOIN kernel_node ON kernel_node.id = day.node
      WHERE day.percent IS NOT NULL ORDER BY day.day DESC, 2 LIMIT ${DAYS}`),
  ])
  const runs = stored.map((run) => ({ run: shown(run, reader, say), isNewest: run.is_newest }))
  const measurable = new Set(nodes.flatMap(({ id, is_measurable }) => (is_measurable ? [id] : [])))
  const newest = runs.flatMap(({ run, isNewest }) => (isNewest && measurable.has(run.node) ? [run] : []))
  const capacity = capacityOf(newest.map(({ figures }) => figures)) ?? null
  const [first] = capacity?.parts ?? []
  return {
    nodes,
    newest,
    sentence: capacity ? sentenceOf(say, capacity, newest.length) : '',
    full_first: first ? fullFirst(say, first.part) : '',
    capacity,
    current: runs.find(({ run }) => run.state === 'waiting' || run.state === 'running')?.run ?? null,
    history: runs.map(({ run }) => run),
    days,
    limit,
    titles: figureTitles(say),
    part_titles: partTitles(say),
  }
}

function shown(run: StoredRun, { timeZone }: Reader, say: Say): CapacityRun {
  const { is_newest: _, fault, date_asked, date_finished, ...rest } = run
  return {
    ...rest,
    fault: faultWords(say, fault),
    capacity: capacityOf([run.figures]) ?? null,
    date_asked: formatDateTime(new Date(date_asked), timeZone),
    date_finished: date_finished && formatDateTime(new Date(date_finished), timeZone),
  }
}
