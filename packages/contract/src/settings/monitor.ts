import { defineSettings } from './define.ts'

const limit = (label: string, unit: string, max: number, value: number) =>
  ({ type: 'integer', label, helpText: `${unit}; 0 raises no alarm`, min: 0, max, default: value }) as const

/** When the system monitor raises an alarm (docs/monitoring.md); all of them are ours. */
export const monitor = defineSettings({
  MONITOR_ALARM_MINUTES: {
    type: 'integer',
    label: 'Minutes until an alarm',
    helpText: 'An alarm begins after a limit was crossed for this time, and ends after it was kept for this time',
    min: 1,
    max: 60,
    default: 5,
  },
  MONITOR_CPU_PERCENT: limit('Processor limit', 'Percent of a node', 100, 90),
  MONITOR_MEMORY_PERCENT: limit('Memory limit', 'Percent of a node', 100, 85),
  MONITOR_DISK_PERCENT: limit('Disk limit', 'Percent of the disk with the data directory', 100, 80),
  MONITOR_LOOP_MS: limit('Delay limit of a node', 'Milliseconds by which a node is late at its work', 60_000, 100),
  MONITOR_SESSIONS: limit('Session limit', 'Live sessions of a node, which carries 1,000 at most', 1000, 900),
  MONITOR_CAPACITY_PERCENT: limit(
    'Capacity limit',
    'Percent of what a node was measured to carry, in the busiest minute of a day',
    1000,
    80,
  ),
  MONITOR_DATABASE_MS: limit('Delay limit of the database', 'Milliseconds until it answers', 60_000, 250),
  MONITOR_DATABASE_GB: limit('Size limit of the database', 'GB', 1_000_000, 0),
  MONITOR_JOBS_MINUTES: limit('Waiting limit of jobs', 'Minutes that the oldest job is due', 100_000, 10),
  MONITOR_JOBS_FAILED: limit('Failure limit of jobs', 'Jobs that failed within an hour', 1_000_000, 10),
  MONITOR_UPLOAD_MINUTES: limit(
    'Waiting limit of uploads',
    'Minutes that a recording, command or audit event waits for its system',
    100_000,
    30,
  ),
})
