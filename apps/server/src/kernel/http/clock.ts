import type { Kernel } from '../kernel.ts'
import { plainFields } from '../resource/plain-fields.ts'
import { serverZone, zoneOfVariable } from '../server-zone.ts'

/**
 * GET /api/v1/common/clock/: the server's time and zone, by which schedules run; a browser's may
 * differ. `now` is ISO 8601 in UTC, `time_zone` an IANA name, or an offset.
 */
export function registerClock({ app }: Kernel): void {
  const { TZ } = process.env
  if (TZ && !zoneOfVariable(TZ))
    app.log.warn({ TZ }, 'TZ names no time zone that is known here: schedules and login rules go by UTC')
  app.route({
    method: 'GET',
    url: '/api/v1/common/clock/',
    config: {
      access: ['authenticated'],
      summary: 'Time and time zone of the server',
      answers: { fields: plainFields({ now: 'string', time_zone: 'string' }) },
    },
    handler: async () => ({ now: new Date().toISOString(), time_zone: serverZone() }),
  })
}
