/** A webhook that told the company's monitoring of sessions, until it was switched off. */
import { randomBytes } from 'node:crypto'
import { type PastDelivery, storePastDeliveries } from '../domains/notifications/index.ts'
import type { ReadContext } from '../kernel/resource/mount.ts'
import type { PastWork } from './past.ts'
import { ensure } from './rows.ts'

const SESSIONS = 6
const FAILED = 'the receiver answered 503'

/**
 * It is switched off, and its receiver has a name that nobody can have (RFC 2606): nothing is sent anywhere.
 * `past`: newest first.
 */
export async function seedWebhooks(context: ReadContext, past: readonly PastWork[]): Promise<void> {
  const { db, call } = context
  const webhook = await ensure(context, 'webhook', 'name', {
    name: 'Monitoring 监控平台',
    url: 'https://monitoring.harbour-bicycles.example/sallyport',
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    kinds: ['session.started', 'session.ended'],
    is_active: false,
    comment: 'Off while the monitoring is moved 监控平台迁移期间停用',
  })
  await storePastDeliveries(db, webhook, call.org, past.slice(0, SESSIONS).toReversed().flatMap(messagesOf))
}

/** Both messages about a session: the two newest sessions wait, and one before was given up. */
function messagesOf({ session }: PastWork, at: number): PastDelivery[] {
  const outcome = outcomeOf(at)
  const { id, date_start, date_end } = session
  const data = {
    session: id,
    user: { id: session.user_id, name: session.user },
    target: { id: session.asset_id, name: session.asset, family: 'asset' },
    account: session.system_user,
    protocol: session.protocol,
    address: session.remote_addr,
    started: date_start.toISOString(),
    page: `/ui/terminal/sessions/${id}?oid=${session.org_id}`,
  }
  return [
    { kind: 'session.started', about: id, at: date_start, data: { ...data, ended: null }, ...outcome },
    { kind: 'session.ended', about: id, at: date_end, data: { ...data, ended: date_end.toISOString() }, ...outcome },
  ]
}

function outcomeOf(at: number): Pick<PastDelivery, 'state' | 'tries' | 'status' | 'error'> {
  if (at >= SESSIONS - 2) return { state: 'waiting', tries: 2, status: 503, error: FAILED }
  if (at === SESSIONS - 3) return { state: 'failed', tries: 11, status: 503, error: FAILED }
  return { state: 'sent', tries: 1, status: 204 }
}
