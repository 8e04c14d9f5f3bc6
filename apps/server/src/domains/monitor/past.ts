import type {
  AlarmKind,
  Figures,
  NodeFigure,
  SharedFigure,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { monitorAlarm, monitorSample } from './tables.ts'

export interface PastFigures {
  /** The installation where it is null. */
  node: string | null
  at: Date
  /** 1 or 15, see `history.ts`. */
  minutes: number
  figures: Figures<NodeFigure | SharedFigure>
}

export interface PastAlarm {
  kind: AlarmKind
  subject: string
  name: string
  value: number
  limit: number
  from: Date
  to: Date
}

/** Stores what was before this server was there, as for a demonstration; what there is stays. */
export async function storePast(
  db: Database,
  figures: readonly PastFigures[],
  alarms: readonly PastAlarm[],
): Promise<void> {
  await db.execute(sql`
    INSERT INTO ${monitorSample} (node, at, minutes, figures, peaks)
    SELECT node, at, minutes, figures, CASE WHEN minutes > 1 THEN figures END
    FROM jsonb_to_recordset(${JSON.stringify(figures)}::jsonb) AS past (node uuid, at timestamptz, minutes smallint, figures jsonb)
    ON CONFLICT DO NOTHING`)
  await db.insert(monitorAlarm).values(
    alarms.map(({ limit, from, to, ...alarm }) => ({
      ...alarm,
      limit_value: limit,
      date_opened: from,
      date_seen: to,
      date_closed: to,
    })),
  )
}
