import { serverZone } from '../jobs/cron.ts'
import type { Kernel } from '../kernel.ts'

/**
 * GET /api/v1/common/clock/: what time it is here and in which zone, by which time plans run: a
 * browser's own clock and zone may be others. `now` is ISO 8601 in UTC, `time_zone` an IANA name.
 */
export function registerClock({ app }: Kernel): void {
  app.route({
    method: 'GET',
    url: '/api/v1/common/clock/',
    config: { access: ['authenticated'], summary: 'Time and time zone of the server' },
    handler: async () => ({ now: new Date().toISOString(), time_zone: serverZone() }),
  })
}
