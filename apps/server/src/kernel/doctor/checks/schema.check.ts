import { migrationState } from '../../database/migrate.ts'
import { type Check, ok, wrong } from '../check.ts'

const NAMED = 3

/** All migrations are applied, and none that this program does not know. */
const check: Check = {
  name: 'schema',
  title: 'Schema of the database',
  async run(place) {
    const { pool } = await place.database()
    const { own, pending, unknown } = await migrationState(pool)
    const named = (names: readonly string[]) => names.slice(0, NAMED).join(', ')
    if (unknown.length)
      return wrong(
        (say) => say('A newer Sallyport has migrated this database ({{names}}).', { names: named(unknown) }),
        (say) => say('Start that one or a newer one, or restore the backup from before the upgrade.'),
      )
    if (pending.length === own.length)
      return wrong(
        (say) => say('This database has no tables of Sallyport.'),
        (say) => say('Start Sallyport, which makes them, or name the database of the installation in DATABASE_URL.'),
      )
    if (pending.length)
      return wrong(
        (say) =>
          say('{{count|migration is|migrations are}} not applied: {{names}}', {
            count: pending.length,
            names: named(pending),
          }),
        (say) => say('Start Sallyport, which applies them. If it does not come up, the reason is in its log.'),
      )
    return ok((say) =>
      say('{{count|migration is|migrations are}} applied, none is missing or unknown.', { count: own.length }),
    )
  },
}
export default check
