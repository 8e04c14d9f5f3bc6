import type { Target } from '@sallyport/contract/target.ts'
import type { ForwardingRight } from '../../../../domains/perms/forwarding/index.ts'
import type { MachineNow } from '../../../../domains/perms/index.ts'
import { inBackground } from '../../../../kernel/background.ts'
import type { Gateway } from '../../../gateway.ts'
import type { ForwardingMachine } from '../../../kinds/terminal/streams.ts'
import type { TerminalSession } from '../../../kinds/terminal/terminal-session.ts'
import type { Person } from '../../../session/person.ts'
import { SessionRefusal } from '../../../session/refusal.ts'

/** How often bytes that pass count as activity, in milliseconds. */
const TOUCH_MS = 1_000

export const NOT_OVER_SSH = 'Connections are forwarded over SSH alone: choose another system user'

/** A session that carries forwarded connections, and nothing else. */
export interface ForwardingSession {
  live: TerminalSession
  machine: ForwardingMachine
}

export interface ForwardingEvents {
  /** Asked for again and again while it lasts. */
  onRight(right: ForwardingRight, machine: MachineNow | undefined): void
  /** Others are asked whether it may begin: it waits for them. */
  onReview(): void
  onLocked(): void
  /** At once when the session ends. */
  onClosed(): void
}

/**
 * Opens the session in which connections are forwarded: it has its permission, review, limits, row,
 * recording (of what went where) and end like any other. Throws SessionRefusal.
 */
export async function openForwardingSession(
  gateway: Gateway,
  request: { person: Person; target: Target; systemUserId: string },
  signal: AbortSignal,
  { onRight, onReview, onLocked, onClosed }: ForwardingEvents,
): Promise<ForwardingSession> {
  let machine: ForwardingMachine | undefined
  const { person, target, systemUserId } = request
  const live = await gateway.open(
    {
      kind: 'terminal',
      ...{ person, target, systemUserId },
      program: {
        forwards: {
          reached(one) {
            machine = one
          },
          drop: onLocked,
        },
      },
      dialogue: {
        tell: () => {},
        ask: () =>
          Promise.reject(new SessionRefusal('This login asks for something that can only be answered in a terminal')),
        // Nothing can be shown: the client's channels are not answered before.
        wait(_heading, _text, over) {
          onReview()
          return new Promise((resolve) => {
            if (over.aborted) resolve('over')
            else over.addEventListener('abort', () => resolve('over'), { once: true })
          })
        },
      },
      owner: { write: () => true, close: onClosed },
      onForwardingRight: onRight,
    },
    signal,
  )
  if (!machine) {
    inBackground(live.end('left'))
    throw new SessionRefusal(NOT_OVER_SSH)
  }
  const { client, note, touch } = machine
  let touched = 0
  return {
    live,
    machine: {
      client,
      note,
      touch() {
        const now = performance.now()
        if (now - touched < TOUCH_MS) return
        touched = now
        touch()
      },
    },
  }
}
