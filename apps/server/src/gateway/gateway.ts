import { NODE_SESSIONS } from '@sallyport/contract/resources/monitor/capacity.ts'
import { settingsOf } from '../domains/settings/index.ts'
import { registerBuiltinTerminal } from '../domains/terminal/index.ts'
import { inBackground } from '../kernel/background.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { CarriedSession } from './carried-session.ts'
import type { GuardOf } from './guard/guard.ts'
import { ruleGuard } from './guard/rule-guard.ts'
import type { AnySession, Kind, Kinds, SessionOpening, SessionRequest } from './kinds/index.ts'
import { openSession } from './opening/open-session.ts'
import { notice } from './session/notice.ts'
import { Presence } from './session/presence.ts'
import { Reattachments } from './session/reattachments.ts'
import { SessionRefusal } from './session/refusal.ts'
import type { SessionSummary } from './session/session-summary.ts'
import { Supervision } from './supervision.ts'
import { NodeSpace } from './workbench/node-space.ts'

/** On shutdown sessions get this long to store their end. */
const CLOSE_MS = 5_000
const MEGABYTE = 1024 * 1024

export interface GatewayOptions {
  maxSessions?: number
  /** Limit of one person, who leaves a quarter to everybody else. */
  maxOfPerson?: number
  /** Milliseconds of the system's clock. */
  now?: () => number
  /** Milliseconds of a clock that nobody sets: idle time and lifetimes are measured by it. */
  elapsed?: () => number
  /** The guard of a session's input; unless given, the command rules. */
  guardOf?: GuardOf
}

/**
 * The sessions of this node. Listeners bring people, connectors bring machines; what happens in
 * between is the same for all.
 */
export interface Gateway {
  /** This node among the components. */
  terminalId: string
  /** Everybody at a terminal enters here first. */
  presence: Presence
  /** Own sessions that people may come back to. */
  reattachments: Reattachments
  /** On the disk, for rows of results. */
  keptRows: NodeSpace
  /** See `GatewayOptions`. */
  elapsed(): number
  /**
   * Throws SessionRefusal. Once `gone` is aborted nobody waits for the session any more: it is
   * given up in whatever state it is.
   */
  open<K extends Kind>(request: SessionRequest<K>, gone: AbortSignal): Promise<Kinds[K]['session']>
  /** A session that this node carries. */
  find(sessionId: string): AnySession | undefined
  /** See Supervision; they run by themselves. */
  beat(): Promise<void>
  check(): Promise<void>
  endLost(): Promise<void>
  recover(): Promise<void>
  /** Ends all sessions, with everything stored. */
  close(): Promise<void>
}

export async function openGateway(
  kernel: Kernel,
  {
    maxSessions = NODE_SESSIONS,
    maxOfPerson = Math.ceil((maxSessions * 3) / 4),
    now = Date.now,
    elapsed = () => performance.now(),
    guardOf = ruleGuard(kernel),
  }: GatewayOptions = {},
): Promise<Gateway> {
  const terminalId = await registerBuiltinTerminal(kernel, {
    type: 'koko',
    name: `[KoKo]-${kernel.nodes.name}`,
    remoteAddress: kernel.config.host,
  })
  await kernel.nodes.carries(terminalId)
  const carried = new Set<CarriedSession>()
  const presence = new Presence(kernel)
  const reattachments = new Reattachments(kernel)
  const supervision = new Supervision(kernel, {
    terminalId,
    carried,
    presence,
    now,
    elapsed,
    reattachMinutes: () => reattachments.minutes,
  })
  let closing = false

  return {
    terminalId,
    presence,
    reattachments,
    keptRows: new NodeSpace(
      kernel.config.dataDirectory,
      () => Number(settingsOf(kernel).get('TERMINAL_KEPT_ROWS_TOTAL')) * MEGABYTE,
    ),
    elapsed,
    beat: () => supervision.beat(),
    check: () => supervision.check(),
    endLost: () => supervision.endLost(),
    recover: () => supervision.recover(),
    find: (id) => [...carried].find(({ sessionId }) => sessionId === id)?.live,
    async open(request, gone) {
      if (closing) throw new SessionRefusal('The server is being stopped')
      // Those that are still connecting count: they will be sessions when they are through.
      if (carried.size >= maxSessions) throw new SessionRefusal('This server carries as many sessions as it can')
      const held = [...carried].filter((other) => other.request.person.id === request.person.id).length
      if (held >= maxOfPerson)
        throw new SessionRefusal('You have {{limit}} live sessions, which is the limit: close one first', {
          limit: maxOfPerson,
        })
      const one = new CarriedSession(request, gone)
      carried.add(one)
      inBackground(one.over.then(() => carried.delete(one)))
      try {
        one.givenUp.throwIfAborted()
        const opening: SessionOpening<typeof request.kind> = Object.assign({}, request, {
          now,
          elapsed,
          signal: one.givenUp,
          databases: one.databases,
          onCreated(session: SessionSummary) {
            one.sessionId = session.id
            request.onCreated?.(session)
          },
        })
        const live = await openSession(kernel, { terminalId, guardOf }, opening)
        one.begins(live)
        return live
      } catch (error) {
        one.fails()
        throw error
      }
    },
    async close() {
      closing = true
      supervision.close()
      const all = [...carried]
      for (const one of all)
        one.end('shutdown', notice('shutdown', 'The server is being stopped: the session is closed'))
      await Promise.race([
        Promise.all(all.map(({ over }) => over)),
        new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref()),
      ])
    },
  }
}
