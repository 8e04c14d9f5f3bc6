import { desc, isNull } from 'drizzle-orm'
import { type Check, ok, warning } from '../../../kernel/doctor/check.ts'
import { monitorAlarm } from '../tables.ts'
import { alarmWords } from '../words.ts'

const MOST = 20

/** Alarms of the system monitor that last. */
const check: Check = {
  name: 'alarms',
  title: 'Alarms of the system monitor',
  async run(place) {
    const { db } = await place.database()
    const rows = await db
      .select()
      .from(monitorAlarm)
      .where(isNull(monitorAlarm.date_closed))
      .orderBy(desc(monitorAlarm.date_opened))
      .limit(MOST)
    if (!rows.length) return ok((say) => say('There is none.'))
    return rows.map((row) =>
      warning(
        (say) => alarmWords((english, values) => say(english, values), row),
        (say) => say('The system monitor shows since when, and the figures before (docs/monitoring.md).'),
        row.name || undefined,
      ),
    )
  },
}
export default check
