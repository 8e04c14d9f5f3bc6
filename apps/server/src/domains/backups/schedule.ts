import { inBackground } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { beginAlarm, endAlarms, notifySubscribers } from '../notifications/index.ts'
import { makeBackup } from './make-backup.ts'
import { openPlace } from './places/open-place.ts'
import { backupStatus } from './status.ts'

const MAKE = 'backups.make'
/** The longest that one may take. */
const HOURS = 24
const LATE = 'backups.late'

/**
 * Has a backup made at the times of SALLYPORT_BACKUP_AT, by one node, and tells system administrators
 * when it fails, or when the last good one is too old. Nothing where no place is set.
 * @throws StartRefusal where the place can be none
 */
export function scheduleBackups(kernel: Kernel): void {
  const { app, config, jobs } = kernel
  const { backup } = config
  if (!backup) return
  const place = openPlace(backup, config)
  // Nobody should learn at night that a folder or a key is wrong. People can work without it.
  if (config.roles.includes('worker'))
    inBackground(place.check().catch((error) => app.log.error({ err: error }, 'backups cannot be made')))
  jobs.work(MAKE, () => makeAndTell(kernel, place), { expireSeconds: HOURS * 3600 })
  jobs.schedule({ name: 'backups.begin', cron: config.backupAt, title: 'Back up the installation' }, async () => {
    await jobs.send(MAKE, {})
  })
  jobs.schedule(
    { name: 'backups.watch', cron: '7 * * * *', title: 'Look whether there is a good backup', isEssential: true },
    () => tellIfLate(kernel),
  )
}

async function makeAndTell(kernel: Kernel, place: ReturnType<typeof openPlace>): Promise<void> {
  const { pool, config, secrets, app } = kernel
  const { backupKeep: keep, backupPassphrase: passphrase } = config
  try {
    const made = await makeBackup({
      pool,
      config,
      vault: secrets,
      place,
      passphrase,
      madeBy: 'schedule',
      keep,
      report: (line) => app.log.info(`backup: ${line}`),
    })
    app.log.info({ backup: made.id, place: place.name }, 'a backup is complete')
  } catch (error) {
    await notifySubscribers(kernel, 'ServerPerformanceMessage', (say) => ({
      subject: say('A backup of the installation failed'),
      paragraphs: [
        say('The backup to {{place}} failed: {{reason}}', { place: place.name, reason: (error as Error).message }),
      ],
    }))
    throw error
  }
}

/** Once for each time that it becomes too old. */
async function tellIfLate(kernel: Kernel): Promise<void> {
  const { state, place, date_good } = await backupStatus(kernel)
  if (state !== 'late') return endAlarms(kernel, LATE, [])
  if (!(await beginAlarm(kernel, LATE))) return
  await notifySubscribers(kernel, 'ServerPerformanceMessage', (say) => ({
    subject: say('There is no recent backup of the installation'),
    paragraphs: [
      say('The last complete backup in {{place}} is of {{date}}.', { place, date: date_good?.toISOString() ?? '-' }),
    ],
  }))
}
