import { serverZone } from '../jobs/cron.ts'
import type { Kernel } from '../kernel.ts'

/**
 * GET /api/v1/common/clock/: the server's time and zone, by which schedules run; a browser's may
 * differ. `now` is ISO 8601 in UTC, `time_zone` an IANA name.
 */
export function registerClock({ app }: Kernel): void {
  app.route({
    method: 'GET',
    url: '/api/v1/common/clock/',
    config: { access: ['authenticated'], summary: 'Time and time zone of the server' },
    handler: async () => ({ now: new Date().toISOString(), time_zone: serverZone() }),
  })
}
