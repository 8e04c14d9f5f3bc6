import { sql } from 'drizzle-orm'
import { inTime } from '../../kernel/in-time.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Slots } from '../../kernel/slots.ts'
import { type OutsideStorage, outsideStorages } from '../terminal/index.ts'
import { storageFault } from '../terminal/storages/index.ts'
import { monitorStorage } from './tables.ts'

/** One that answers is asked so often, one that does not every minute. */
const EVERY_MINUTES = 5
const ANSWER_MS = 15_000
const AT_ONCE = 4
const MINUTE_MS = 60_000

/** Whether storages are to be asked in that minute. */
export const isCheckDue = (at: Date, away: number) => away > 0 || (at.getTime() / MINUTE_MS) % EVERY_MINUTES === 0

/** Asks every storage outside whether it can be used, and stores the outcome; those that are gone are forgotten. */
export async function checkStorages(kernel: Kernel, at: Date): Promise<void> {
  const storages = await outsideStorages(kernel)
  const slots = new Slots(AT_ONCE)
  const found = await Promise.all(storages.map((storage) => slots.use(() => outcomeOf(storage))))
  const now = sql`${at.toISOString()}::timestamptz`
  const { db } = kernel
  await db.execute(sql`
    WITH gone AS (DELETE FROM ${monitorStorage} WHERE NOT id = ANY(${sql.param(storages.map(({ id }) => id))}::uuid[]))
    INSERT INTO ${monitorStorage} AS known (id, kind, name, is_away, fault, answer, date_since, date_checked)
    SELECT id, kind, name, is_away, fault, answer, ${now}, ${now}
    FROM jsonb_to_recordset(${JSON.stringify(found)}::jsonb)
      AS new (id uuid, kind text, name text, is_away boolean, fault text, answer text)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, fault = excluded.fault, answer = excluded.answer,
      date_checked = excluded.date_checked, is_away = excluded.is_away,
      date_since = CASE WHEN known.is_away = excluded.is_away THEN known.date_since ELSE excluded.date_since END
    WHERE known.date_checked <= excluded.date_checked`)
}

async function outcomeOf({ id, kind, name, check }: OutsideStorage) {
  const known = { id, kind, name }
  try {
    await inTime(check(), ANSWER_MS, () => new Error('no answer'))
    return { ...known, is_away: false, fault: '', answer: '' }
  } catch (error) {
    const { fault, answer } = storageFault(error)
    return { ...known, is_away: true, fault, answer }
  }
}
