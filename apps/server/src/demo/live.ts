import { setTimeout as after } from 'node:timers/promises'
import type { Gateway } from '../gateway/gateway.ts'
import type { TerminalSession } from '../gateway/kinds/terminal/terminal-session.ts'
import { SessionRefusal } from '../gateway/session/refusal.ts'
import { displayName } from '../kernel/access/call.ts'
import { inBackground } from '../kernel/background.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Company } from './past.ts'
import type { AtWork, Step } from './work.ts'

const MS_PER_KEY = 70
const MS_BETWEEN_STEPS = 9_000
/** After the first round: slow enough for a demo that is left open, fast enough to stay connected. */
const MS_BETWEEN_LATER_STEPS = 240_000
/** A confirmation that nobody gave is withdrawn after an hour; then it is asked for again. */
const GIVEN_UP_MS = 55 * 60_000

/**
 * Connects a person through the gateway as a browser would, and types their work over and over,
 * until the session ends or the demo does.
 */
export async function workLive(
  kernel: Kernel,
  gateway: Gateway,
  company: Company,
  one: AtWork,
  signal: AbortSignal,
): Promise<void> {
  const person = company.people.find(({ username }) => username === one.username)
  const machine = company.machines.find(({ hostname }) => hostname === one.machine)
  if (!person || !machine) return
  const asked = Date.now()
  const owner = { id: person.id, name: person.name, username: person.username }
  try {
    const live = await gateway.open(
      {
        kind: 'terminal',
        person: { ...owner, language: 'en', remoteAddress: one.address, loginFrom: one.from },
        target: { family: 'asset', id: machine.id },
        systemUserId: company.systemUsers.get(one.work.as) ?? '',
        program: { terminal: { type: 'xterm-256color', size: { cols: 120, rows: 30 } } },
        dialogue: { ask: async () => undefined, wait: untilDecided },
        owner: { write: () => true, close: () => {} },
      },
      signal,
    )
    live.participants.enter(
      { user_id: person.id, user: displayName(owner), remote_addr: one.address, primary: true, writable: true },
      { tell: () => {} },
    )
    const ended = new AbortController()
    inBackground(live.ended.then(() => ended.abort()))
    await typeForEver(live, one.work.steps, AbortSignal.any([signal, ended.signal]))
  } catch (error) {
    if (signal.aborted) return
    if (!(error instanceof SessionRefusal)) throw error
    kernel.app.log.info({ err: error, user: one.username }, 'a session of the demo did not come about')
    if (Date.now() - asked > GIVEN_UP_MS) await workLive(kernel, gateway, company, one, signal)
  }
}

const untilDecided = (_heading: string, _text: string, signal: AbortSignal) =>
  new Promise<'over'>((resolve) => signal.addEventListener('abort', () => resolve('over'), { once: true }))

/** `exit` is left out: the session is to last. */
async function typeForEver(live: TerminalSession, steps: readonly Step[], signal: AbortSignal): Promise<void> {
  const wait = (ms: number) => after(ms, undefined, { signal, ref: false })
  try {
    for (let pause = MS_BETWEEN_STEPS; ; pause = MS_BETWEEN_LATER_STEPS)
      for (const { typed } of steps.filter((step) => step.typed !== 'exit')) {
        await wait(pause)
        for (const key of `${typed}\r`) {
          live.input(Buffer.from(key))
          await wait(MS_PER_KEY)
        }
      }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
