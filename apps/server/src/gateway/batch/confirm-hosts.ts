import { holdHosts, releaseHosts, type WaitingHost } from '../../domains/ops/command-executions/index.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import { whyRunOff } from '../agents/allowed.ts'
import { OTHER_RULE, requestInTime } from '../guard/ask-guard.ts'
import { type ConfirmedCommand, confirmCommand, decisionOnCommand } from '../guard/confirm-command.ts'
import type { Decision } from '../guard/guard.ts'
import { UNJUDGED } from '../guard/input-gate.ts'
import { type Notice, wordsOf } from '../session/notice.ts'
import { type ConfirmedHosts, judgeMachines } from './judge-machines.ts'
import { type Counts, type Running, runHosts, skip, skipRefused } from './run-hosts.ts'
import { refusalText } from './run-on-machine.ts'

/** Machines that wait for others: to be asked, or asked before, by a node that was stopped since. */
export type HeldHosts = ConfirmedHosts | { ticket: string; hosts: WaitingHost[] }

/**
 * Has a run confirmed by those whom a rule names, for all machines of that rule by one ticket, and
 * runs it there once they have approved it. Whatever is no approval skips them, and says why. The
 * ticket is withdrawn when the run is ended.
 */
export async function runOnceConfirmed(running: Running, held: HeldHosts): Promise<Counts> {
  const { signal, person } = running
  const dropped = new AbortController()
  const drop = () => dropped.abort()
  signal.addEventListener('abort', drop, { once: true })
  if (signal.aborted) drop()
  try {
    const decision = await decisionFor(running, held, dropped).catch((error): Decision => {
      running.kernel.app.log.error({ err: error, execution: running.execution.id }, 'confirmation of a batch command')
      return UNJUDGED
    })
    const off = whyRunOff(running.kernel, running.execution.on_behalf_of)
    if (decision.action === 'allow' && !off) return await runApproved(running, held.hosts, decision.grounds?.rule)
    const denied = decision.action === 'deny' ? wordsOf(decision.why, person.language) : ''
    const why = signal.aborted ? refusalText(signal.reason, person) : off ? translate(person.language, off) : denied
    return { success: 0, failed: 0, skipped: await skip(running, held.hosts, why) }
  } finally {
    signal.removeEventListener('abort', drop)
  }
}

async function decisionFor(running: Running, held: HeldHosts, dropped: AbortController): Promise<Decision> {
  const { kernel, execution, person } = running
  if ('ticket' in held) return decisionOnCommand(kernel, { ticket: held.ticket, own: [person.id] }, dropped.signal)
  const verdict = await confirmCommand(kernel, commandOf(running, held), dropped.signal)
  if (verdict.action !== 'confirm') return verdict
  const { message, grounds, decision } = await requestInTime(verdict, dropped)
  if (grounds?.ticket) {
    const words = wordsOf(message, person.language)
    const assets = held.hosts.map(({ asset }) => asset)
    await holdHosts(kernel.db, execution.id, assets, { ticket: grounds.ticket, error: words })
    running.news.stored()
    await running.log(`${held.hosts.map(({ name }) => name).join(', ')} | HELD | ${words}`)
  }
  return decision
}

/** The command that reviewers read. */
function commandOf({ execution, person }: Running, { grounds, hosts }: ConfirmedHosts): ConfirmedCommand {
  const { id, org_id, user: user_id, user_display: user, run_as_display, remote_addr } = execution
  // The machines of a ticket are those with the same text.
  const text = hosts[0]?.command ?? execution.command
  const asset = hosts.map(({ name }) => name).join(', ')
  const session = { id, org_id, user, user_id, asset, system_user: run_as_display, remote_addr }
  const onBehalfOf = execution.on_behalf_of ?? undefined
  return { guarded: { session, person: { id: person.id, onBehalfOf } }, grounds, text, isBatch: true }
}

/** Rules may have changed while others were asked: what they approved is judged by those of now. */
async function runApproved(running: Running, hosts: readonly WaitingHost[], rule: string | undefined): Promise<Counts> {
  const { kernel, execution, person } = running
  const run = { userId: person.id, systemUserId: execution.run_as }
  const { everywhere, refused, toConfirm } = await judgeMachines(kernel.db, run, hosts)
  const others = toConfirm.filter(({ grounds }) => grounds.rule !== rule).flatMap((group) => group.hosts)
  const denied = new Map<string, Notice>([
    ...refused,
    ...others.map(({ asset }) => [asset, OTHER_RULE] as const),
    ...(everywhere ? hosts.map(({ asset }) => [asset, everywhere] as const) : []),
  ])
  const allowed = hosts.filter(({ asset }) => !denied.has(asset))
  await releaseHosts(
    kernel.db,
    execution.id,
    allowed.map(({ asset }) => asset),
  )
  running.news.stored()
  const skipped = await skipRefused(running, hosts, denied)
  const counts = await runHosts(running, allowed)
  return { ...counts, skipped: counts.skipped + skipped }
}
