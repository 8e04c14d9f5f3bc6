import { nextTime } from '../../kernel/jobs/cron.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { formatDateTime } from '../../kernel/resource/datetime.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { lastBackup } from './journal.ts'

/**
 * `off`: none are set up. `waiting`: the first is still to come. `late`: the last good one is older
 * than twice the time between two. `failed`: the last one.
 */
export type BackupState = 'off' | 'waiting' | 'good' | 'late' | 'failed'

export interface BackupStatus {
  state: BackupState
  /** Where they go; empty where none are set up. */
  place: string
  /** The moment that the newest complete one is of. */
  date_good: Date | null
  bytes: number | null
  recordings: number | null
  /** Whether that one also has the key. */
  has_key: boolean
  /** When the last one failed, and why. */
  date_failed: Date | null
  error: string
  date_next: Date | null
}

/** How it is with the backups of this installation. */
export async function backupStatus(
  { db, config, jobs }: Pick<Kernel, 'db' | 'config'> & { jobs: Pick<Kernel['jobs'], 'zone'> },
  now = new Date(),
): Promise<BackupStatus> {
  const { good, last } = await lastBackup(db)
  const next = config.backup ? nextTime(config.backupAt, jobs.zone, now) : undefined
  const afterNext = next && nextTime(config.backupAt, jobs.zone, next)
  const failed = last?.state === 'failed' ? last : undefined
  const isLate =
    good?.date_snapshot && next && afterNext
      ? now.getTime() - good.date_snapshot.getTime() > 2 * (afterNext.getTime() - next.getTime())
      : false
  const state = !config.backup ? 'off' : failed ? 'failed' : isLate ? 'late' : good ? 'good' : 'waiting'
  return {
    state,
    place: config.backup ?? '',
    date_good: good?.date_snapshot ?? null,
    bytes: good?.bytes ?? null,
    recordings: good?.recordings ?? null,
    has_key: good?.has_key ?? false,
    date_failed: failed?.date_finished ?? null,
    error: failed?.error ?? '',
    date_next: next ?? null,
  }
}

const STATUS = {
  label: 'Backups',
  fields: plainFields({
    state: 'string',
    place: 'string',
    date_good: 'datetime',
    bytes: 'integer',
    recordings: 'integer',
    has_key: 'boolean',
    date_failed: 'datetime',
    error: 'string',
    date_next: 'datetime',
  }),
}

/** GET /api/v1/backups/status/: for the start page of system administrators. */
export function registerStatus(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/backups/status/',
    config: { access: ['super_admin'], summary: 'Backups: the last good one', rows: STATUS, answers: 'row' },
    handler: async ({ call }) => {
      const { date_good, date_failed, date_next, ...status } = await backupStatus(kernel)
      const shown = (date: Date | null) => date && formatDateTime(date, call.timeZone)
      return { ...status, date_good: shown(date_good), date_failed: shown(date_failed), date_next: shown(date_next) }
    },
  })
}
