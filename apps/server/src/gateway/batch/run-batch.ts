import { eq } from 'drizzle-orm'
import { beginExecution, finishExecution, type StoredExecution } from '../../domains/ops/command-executions/index.ts'
import type { TaskLog } from '../../domains/ops/index.ts'
import { USER_CHANGED, usersAccount } from '../../domains/users/index.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { wordsOf } from '../session/notice.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { alarmOfBatch } from './alarm.ts'
import { runOnceConfirmed } from './confirm-hosts.ts'
import { judgeMachines } from './judge-machines.ts'
import { type Counts, type Running, runHosts, skipRefused } from './run-hosts.ts'
import { RunNews } from './run-news.ts'
import { whileSignedIn } from './while-signed-in.ts'

export interface BatchRun {
  id: string
  /** Language of error messages. */
  language: Language
  /** Ends it early. */
  cancelled: AbortSignal
}

/**
 * Carries out a run: what the rules refuse is skipped, what they want confirmed waits for others, and
 * everything else runs meanwhile. It ends at once for a person who is disabled,
 * and for an agent whose sign-in is over.
 */
export async function runBatch(
  kernel: Kernel,
  { id, language, cancelled }: BatchRun,
  log: TaskLog,
): Promise<Record<string, unknown>> {
  const found = await beginExecution(kernel.db, id)
  if (!found) return {}
  const { execution } = found
  const news = new RunNews(kernel, id)
  const active = whileActive(kernel, execution.user)
  const signedIn = await whileSignedIn(kernel, execution)
  const over = new AbortController()
  try {
    const person = await personOf(kernel, execution, language)
    if (!person) return await refuse(kernel, { id, error: translate(language, INACTIVE), log })
    const signal = AbortSignal.any([cancelled, active.signal, signedIn.signal, over.signal])
    return await carryOut({ kernel, execution, person, signal, log, news }, found)
  } finally {
    // After a fault, too: nothing that waits for others may run later.
    over.abort(new SessionRefusal('Cancelled'))
    active.stop()
    signedIn.stop()
    await news.close()
  }
}

type Begun = NonNullable<Awaited<ReturnType<typeof beginExecution>>>

async function carryOut(running: Running, { hosts, held }: Begun): Promise<Record<string, unknown>> {
  const { kernel, execution, person, log } = running
  const { id, run_as: systemUserId } = execution
  const run = { userId: person.id, systemUserId }
  const { everywhere, refused, toConfirm } = await judgeMachines(kernel.db, run, hosts)
  const isStopped = everywhere || (hosts.length > 0 && !held.length && refused.size === hosts.length)
  if (refused.size || everywhere)
    await alarmOfBatch(kernel, {
      execution,
      person,
      hosts: everywhere ? hosts : hosts.filter((one) => refused.has(one.asset)),
    })
  const stopped = everywhere ?? [...refused.values()][0]
  if (isStopped && stopped) return refuse(kernel, { id, error: wordsOf(stopped, person.language), log })
  const waiting = new Set(toConfirm.flatMap((group) => group.hosts))
  const parts = await Promise.all([
    skipRefused(running, hosts, refused).then((skipped) => ({ success: 0, failed: 0, skipped })),
    runHosts(
      running,
      hosts.filter((host) => !refused.has(host.asset) && !waiting.has(host)),
    ),
    ...[...toConfirm, ...held].map((group) => runOnceConfirmed(running, group)),
  ])
  const counts = parts.reduce(sumOf)
  await log(`ok=${counts.success} failed=${counts.failed} skipped=${counts.skipped}`)
  // Pending news are stored first: none may stay behind.
  await running.news.close()
  await finishExecution(kernel, id)
  return { ...counts }
}

const sumOf = (one: Counts, other: Counts): Counts => ({
  success: one.success + other.success,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
})

/** Nothing runs anywhere. */
async function refuse(kernel: Kernel, { id, error, log }: { id: string; error: string; log: TaskLog }) {
  await log(error)
  await finishExecution(kernel, id, error)
  return { error }
}

const INACTIVE = 'The account of whoever began this is not active any more'

/** Aborted as soon as a person is disabled or removed. */
function whileActive(kernel: Kernel, userId: string): { signal: AbortSignal; stop: () => void } {
  const ended = new AbortController()
  const look = async () => {
    const [found] = await kernel.db
      .select({ isValid: usersAccount.is_valid })
      .from(usersAccount)
      .where(eq(usersAccount.id, userId))
    if (!found?.isValid) ended.abort(new SessionRefusal(INACTIVE))
  }
  const stop = kernel.events.subscribe(USER_CHANGED, ({ user_id }) => {
    if (user_id === userId)
      look().catch((error) =>
        kernel.app.log.warn({ err: error }, 'the person of a batch command could not be looked at'),
      )
  })
  return { signal: ended.signal, stop }
}

/** The person who began the run, as they are now; undefined where they may not sign in any more. */
async function personOf(
  { db }: Kernel,
  { user, remote_addr }: StoredExecution,
  language: Language,
): Promise<Person | undefined> {
  const { id, name, username, is_valid } = usersAccount
  const [found] = await db.select({ id, name, username, is_valid }).from(usersAccount).where(eq(id, user))
  if (!found?.is_valid) return undefined
  return {
    id: found.id,
    name: found.name,
    username: found.username,
    language,
    remoteAddress: remote_addr,
    loginFrom: 'WT',
  }
}
