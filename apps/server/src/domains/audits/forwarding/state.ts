import { FORWARDING_PATH, type ForwardingState } from '@sallyport/contract/resources/audits/forwarding.ts'
import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Call, callerOf, displayName } from '../../../kernel/access/call.ts'
import { AppError, notFound } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { auditsForwarding, auditsOutbox } from '../tables.ts'
import { MAX_WAITING, wordsOf } from './forwarder.ts'
import { type Target, targetsOf } from './targets.ts'

const STATE = {
  fields: plainFields({
    target: 'string',
    is_on: 'boolean',
    address: 'string',
    form: 'string',
    waiting: 'integer',
    capacity: 'integer',
    lag_seconds: 'integer',
    sent: 'integer',
    dropped: 'integer',
    date_sent: 'datetime',
    date_failed: 'datetime',
    error: 'string',
  }),
}
const testBody = z.strictObject({ target: z.enum(['syslog', 'webhook']) })

/** How far behind other systems are and what was lost, and a message to try the way there. */
export function registerForwardingState(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: FORWARDING_PATH,
    config: {
      access: ['super_admin'],
      rootOrg: true,
      summary: 'Audits: events for other systems',
      rows: STATE,
      answers: 'rows',
    },
    handler: ({ call }) => statesOf(kernel, call),
  })
  app.route({
    method: 'POST',
    url: `${FORWARDING_PATH}test/`,
    config: {
      access: ['super_admin'],
      rootOrg: true,
      summary: 'Audits: send a test event',
      answers: { fields: plainFields({ msg: 'string' }) },
      takes: testBody,
    },
    handler: async ({ call, body }) => {
      const { target } = testBody.parse(body)
      const to = targetsOf(kernel).find(({ name }) => name === target)
      if (!to) throw notFound()
      await sendTest(to, call)
      return { msg: translate(call.language, 'The test event was sent') }
    },
  })
}

/** Sent at once, past what waits. Throws 400 with what the way there says. */
async function sendTest(to: Target, call: Call): Promise<void> {
  const record = { user: displayName(callerOf(call)), remote_addr: call.remoteAddress, text: 'A test of Sallyport' }
  try {
    await to.tell([{ number: 0, category: 'test', record, at: new Date() }])
  } catch (error) {
    throw new AppError(400, 'bad_request', wordsOf(error))
  }
}

async function statesOf(kernel: Kernel, call: Call): Promise<ForwardingState[]> {
  const targets = targetsOf(kernel)
  const { number, target, date_created } = auditsOutbox
  const rows = await kernel.db
    .select({
      state: auditsForwarding,
      waiting: sql<number>`count(${number})::int`,
      lag_seconds: sql<number>`coalesce(extract(epoch FROM now() - min(${date_created})), 0)::int`,
    })
    .from(auditsForwarding)
    .leftJoin(auditsOutbox, eq(target, auditsForwarding.target))
    .groupBy(auditsForwarding.target)
    .orderBy(auditsForwarding.target)
  const inZone = (date: Date | null) => date && formatDateTime(date, call.timeZone)
  return rows.map(({ state, ...spool }) => {
    const { address = '', form = '' } = targets.find(({ name }) => name === state.target) ?? {}
    const dates = { date_sent: inZone(state.date_sent), date_failed: inZone(state.date_failed) }
    return { ...state, ...spool, ...dates, address, form, capacity: MAX_WAITING }
  })
}
