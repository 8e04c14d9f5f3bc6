import { type Check, notChecked, ok, warning, wrong } from '../../kernel/doctor/check.ts'
import { serverZone } from '../../kernel/server-zone.ts'
import { backupStatus } from './status.ts'

/** The last good backup, and whether the next ones come. */
const check: Check = {
  name: 'backup',
  title: 'Last backup',
  async run(place) {
    const { db } = await place.database()
    const status = await backupStatus({ db, config: place.config, jobs: { zone: serverZone() } })
    const date = (one: Date | null) => (one ? `${one.toISOString().slice(0, 16).replace('T', ' ')} UTC` : '—')
    const values = {
      place: status.place,
      good: date(status.date_good),
      failed: date(status.date_failed),
      next: date(status.date_next),
      error: status.error,
    }
    switch (status.state) {
      case 'off':
        return warning(
          (say) => say('No backups by schedule are set up. Last good backup: {{good}}.', values),
          (say) => say('Name a folder or bucket outside of this machine in SALLYPORT_BACKUP (docs/backup.md).'),
        )
      case 'failed':
        return wrong(
          (say) => say('The backup of {{failed}} failed: {{error}} Last good backup: {{good}}.', values),
          (say) => say('Mend what it names, then make one now: sallyport-admin backup'),
        )
      case 'late':
        return wrong(
          (say) => say('The last good backup is of {{good}}: the ones after it did not come.', values),
          (say) => say('Look whether a node with the role worker runs, then make one now: sallyport-admin backup'),
        )
      case 'waiting':
        return notChecked((say) => say('The first backup comes at {{next}}.', values))
      case 'good':
        return ok((say) => say('The last good backup is of {{good}}, the next comes at {{next}}.', values))
    }
  },
}
export default check
