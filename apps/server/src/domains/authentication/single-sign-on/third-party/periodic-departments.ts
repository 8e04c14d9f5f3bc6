import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { type Messenger, messengers } from '../../../notifications/index.ts'
import { readDepartments } from './departments.ts'
import { isOn } from './qr-code.ts'

/** People of one messenger who are read in an hour; the next hour goes on with others. */
const MAX_PEOPLE = 5000
const LIMIT_MS = 4 * 60_000
/** So many people one after the other of whom it says nothing: it is away, or refuses such calls. */
const MOST_IN_A_ROW = { away: 5, refused: 50 }

/** Reads each hour the departments of those who have bound a messenger, so that leavers lose what theirs gave. */
export function schedulePeriodicDepartments(kernel: Kernel): void {
  kernel.jobs.schedule(
    {
      name: 'authentication.read_departments',
      cron: '10 * * * *',
      title: 'Read the departments of messengers',
      hasWork: () => sql`EXISTS (SELECT FROM authentication_group_mapping
        WHERE is_active AND source IN ('wecom', 'dingtalk', 'feishu'))`,
    },
    () => readAllDepartments(kernel),
  )
}

/** Reads the departments of each messenger that is on and has a rule, in another order each time: nobody waits for ever. */
export async function readAllDepartments(kernel: Kernel): Promise<void> {
  for (const messenger of messengers) if (isOn(kernel, messenger)) await readThose(kernel, messenger)
}

async function readThose(kernel: Kernel, messenger: Messenger): Promise<void> {
  const id = sql.identifier(`${messenger.name}_id`)
  const { rows } = await kernel.db.execute<{ outside_id: string }>(sql`
    SELECT p.${id} AS outside_id FROM users_person p
    WHERE p.${id} IS NOT NULL AND EXISTS (SELECT FROM authentication_group_mapping m
      WHERE m.is_active AND m.source = ${messenger.name})
    ORDER BY random() LIMIT ${MAX_PEOPLE}`)
  const ends = Date.now() + LIMIT_MS
  const inARow = { away: 0, refused: 0 }
  for (const { outside_id } of rows) {
    const outcome = await readDepartments(kernel, messenger, outside_id)
    if (outcome === 'known') Object.assign(inARow, { away: 0, refused: 0 })
    else inARow[outcome]++
    const goesOn = inARow.away < MOST_IN_A_ROW.away && inARow.refused < MOST_IN_A_ROW.refused
    if (goesOn && Date.now() < ends) continue
    kernel.app.log.warn(
      { messenger: messenger.name, people: rows.length },
      'departments were not read to the end: the next hour goes on',
    )
    return
  }
}
