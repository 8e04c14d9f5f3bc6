import { statfs } from 'node:fs/promises'
import { sizeText } from '@sallyport/contract/size-text.ts'
import { sql } from 'drizzle-orm'
import {
  type Check,
  NotChecked,
  type Outcome,
  ok,
  type Place,
  type Words,
  warning,
  wrong,
} from '../../../kernel/doctor/check.ts'
import { knownNodeId } from '../../../kernel/nodes/node-id.ts'
import { replayFolder } from '../../terminal/recording/index.ts'
import { monitorSample } from '../tables.ts'

const MB = 1024 ** 2
/** As the health page sees it (kernel/http/health.ts), with some room before. */
const NO_ROOM_BYTES = 64 * MB
const LITTLE_BYTES = 1024 * MB
const SOON_DAYS = 14
const URGENT_DAYS = 3
/** The rate is that of so many days, and of one at least. */
const RATE_DAYS = 7
const DAY_SECONDS = 86_400

const check: Check = {
  name: 'disk',
  title: 'Disk',
  async run(place) {
    const { config } = place
    const folders = [
      { folder: config.dataDirectory, disk: await statfs(config.dataDirectory).catch(() => undefined) },
      { folder: replayFolder(config), disk: await statfs(replayFolder(config)).catch(() => undefined) },
    ].flatMap(({ folder, disk }) =>
      disk ? [{ folder, free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize }] : [],
    )
    if (!folders.length)
      throw new NotChecked(
        (say) => say('There is no folder {{folder}} yet.', { folder: config.dataDirectory }),
        (say) => say('Start Sallyport, or name the folder of the installation in SALLYPORT_DATA_DIR.'),
      )
    const rate = await bytesADay(place)
    // Two folders on one disk are reported once.
    const [first, second] = folders
    const isOneDisk = first && second && first.total === second.total && first.free === second.free
    return (isOneDisk ? [first] : folders).map((one) => outcomeOf(one, rate))
  },
}
export default check

function outcomeOf({ folder, free, total }: { folder: string; free: number; total: number }, rate: number): Outcome {
  const days = rate > 0 ? Math.floor(free / rate) : undefined
  const values = { folder, free: sizeText(free), total: sizeText(total), days, rate: sizeText(rate) }
  const words: Words = (say) =>
    days === undefined
      ? say('{{free}} of {{total}} are free at {{folder}}.', values)
      : say(
          '{{free}} of {{total}} are free at {{folder}}: enough for {{days|day|days}} at the present {{rate}} a day.',
          values,
        )
  const mend: Words = (say) =>
    say(
      'Enlarge the disk, keep recordings in a bucket (SALLYPORT_RECORDINGS), or keep them for fewer days. With a full disk no session begins.',
    )
  const left = days ?? Number.POSITIVE_INFINITY
  if (free < NO_ROOM_BYTES || left < URGENT_DAYS) return wrong(words, mend, folder)
  return free < LITTLE_BYTES || left < SOON_DAYS ? warning(words, mend, folder) : ok(words, folder)
}

/** How fast the fullest disk of this node has filled lately, by the system monitor; 0 where that is not known. */
async function bytesADay(place: Place): Promise<number> {
  const node = knownNodeId(place.config.dataDirectory)
  if (!node || (await place.databaseFault())) return 0
  const { db } = await place.database()
  const { rows } = await db
    .execute<{ used: number; seconds: number }>(sql`
      SELECT (array_agg(free ORDER BY at))[1] - (array_agg(free ORDER BY at DESC))[1] AS used,
        extract(epoch FROM max(at) - min(at))::float8 AS seconds
      FROM (SELECT at, (figures->>'disk_free')::float8 AS free FROM ${monitorSample}
        WHERE node = ${node} AND at > now() - make_interval(days => ${RATE_DAYS})) AS taken WHERE free IS NOT NULL`)
    .catch(() => ({ rows: [] }))
  const { used = 0, seconds = 0 } = rows[0] ?? {}
  return seconds >= DAY_SECONDS ? Math.max(0, (used / seconds) * DAY_SECONDS) : 0
}
