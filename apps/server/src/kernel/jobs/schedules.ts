import { createHash } from 'node:crypto'
import { nextTime } from './cron.ts'

/**
 * The next time is worked out again at least this often: timers can't wait longer than 24 days, and
 * the machine's clock may be set.
 */
const LOOK_AGAIN_MS = 3_600_000

export interface Schedule {
  name: string
  cron: string
}

/**
 * Calls `send` at each time of each schedule, in `zone`. Every node does so; `idOfRun` makes one
 * job of it. Times at which no node runs are skipped.
 * @returns how to stop
 */
export function startSchedules(
  schedules: readonly Schedule[],
  zone: string,
  send: (schedule: Schedule, due: Date) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined
  const wait = (from: Date) => {
    const times = schedules.flatMap((schedule) => {
      const due = nextTime(schedule.cron, zone, from)
      return due ? [{ schedule, due }] : []
    })
    if (!times.length) return
    const next = Math.min(...times.map(({ due }) => due.getTime()))
    const left = next - Date.now()
    timer = setTimeout(
      () => {
        const now = Date.now()
        if (now < next) return wait(new Date(now))
        // After a suspend, a schedule whose times were missed runs once.
        for (const { schedule, due } of times) if (due.getTime() <= now) send(schedule, due)
        wait(new Date(now))
      },
      Math.max(0, Math.min(left, LOOK_AGAIN_MS)),
    )
  }
  wait(new Date())
  return () => clearTimeout(timer)
}

/** Id of the job for one time of one schedule: the same on every node, so that only one is made. */
export function idOfRun({ name }: Schedule, due: Date): string {
  const hex = createHash('sha256').update(`${name} ${due.toISOString()}`).digest('hex')
  // Version 8: made by a rule of our own (RFC 9562 §5.8).
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
