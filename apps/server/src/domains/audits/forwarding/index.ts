import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { auditsForwarding, auditsOutbox } from '../tables.ts'
import { destinationOf, forwardBatch, noteEvents } from './forwarder.ts'

const EVERY_MS = 2_000

/**
 * Tells another system what happens (contract/audits.yaml `syslog`): noted in the database by the
 * statements that store it, delivered by one node that does background work. Throws StartRefusal for
 * wrong settings.
 */
export async function registerForwarding(kernel: Kernel): Promise<void> {
  registerState(kernel)
  const to = destinationOf(kernel)
  await noteEvents(kernel.db, to !== undefined)
  if (!to || !kernel.config.roles.includes('worker')) return
  let running: Promise<void> = Promise.resolve()
  let isClosed = false
  const round = async () => {
    while (!isClosed && (await forwardBatch(kernel, to)));
  }
  let timer: NodeJS.Timeout | undefined
  const again = () => {
    if (isClosed) return
    timer = setTimeout(() => {
      running = round()
        .catch((error) => kernel.app.log.error({ err: error }, 'audit events could not be forwarded'))
        .then(again)
    }, EVERY_MS).unref()
  }
  again()
  kernel.app.addHook('onClose', async () => {
    isClosed = true
    clearTimeout(timer)
    await running
  })
}

const STATE = {
  fields: plainFields({
    is_on: 'boolean',
    waiting: 'integer',
    lag_seconds: 'integer',
    sent: 'integer',
    dropped: 'integer',
    date_sent: 'datetime',
    date_failed: 'datetime',
    error: 'string',
  }),
}

/** GET audits/forwarding/: how far behind the other system is, and what was lost. */
function registerState({ app, db }: Kernel): void {
  app.route({
    method: 'GET',
    url: '/api/v1/audits/forwarding/',
    config: { access: ['super_admin'], rootOrg: true, summary: 'Audits: events for another system', rows: STATE },
    handler: async () => {
      const [state] = await db.select().from(auditsForwarding)
      const [spool] = await db
        .select({
          waiting: sql<number>`count(*)::int`,
          lag_seconds: sql<number>`coalesce(extract(epoch FROM now() - min(date_created)), 0)::int`,
        })
        .from(auditsOutbox)
      const { id: _, ...rest } = state ?? { id: 1 }
      return { ...rest, ...spool }
    },
  })
}
