import { hostname } from 'node:os'
import { MEMBERSHIP_LOST } from '../domains/orgs/index.ts'
import { mayConnect } from '../domains/perms/index.ts'
import { settingsOf } from '../domains/settings/index.ts'
import {
  finishKillOrders,
  heartbeat,
  KILL_EVENT,
  LOCK_EVENT,
  noteBuiltinAlive,
  openKillOrders,
  registerBuiltinTerminal,
} from '../domains/terminal/index.ts'
import { USER_CHANGED } from '../domains/users/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { openSession } from './broker.ts'
import { missingRight } from './files/transfer-of.ts'
import type { EndReason, LiveSession } from './kinds/terminal/live-session.ts'
import { Reattachments } from './kinds/terminal/reattachments.ts'
import { recoverRecordings } from './recording/crash-recovery.ts'
import { Presence } from './session/presence.ts'
import { SessionRefusal } from './session/refusal.ts'
import type { SessionOpening } from './session-request.ts'

/** Sessions that one node carries at most; each costs memory and two sockets. */
const MAX_SESSIONS = 1000
const HEARTBEAT_MS = 20_000
/** Sign-ins, idle time, lifetime and permissions that ran out are looked at this often. */
const CHECK_MS = 5_000
/** Every session's permission is asked for again within this, however many there are (contract/gateway.yaml limits). */
const PERMISSION_MS = 30_000
/** So many are asked for at each check, those first that were asked longest ago: a node with fewer sessions asks for all of them each time. */
const PERMISSIONS_A_CHECK = 40
/** Recordings that couldn't be packed when their session ended are tried again this often. */
const RECOVERY_MS = 600_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** On shutdown sessions get this long to store their end. */
const CLOSE_MS = 5_000

export interface GatewayOptions {
  maxSessions?: number
  /** Milliseconds. */
  now?: () => number
}

/** A session of this node, from the request on. */
interface Carried {
  question: SessionRequest
  /** Once the row exists. */
  sessionId?: string
  /** Once the machine has accepted. */
  live?: LiveSession
  /** When its permission was asked for last. */
  asked: number
  /** Settles when it is over and stored. */
  over: Promise<void>
  /** Ends it in whatever state it is; does not wait for what must be stored. */
  end(reason: EndReason, text: string, values?: Record<string, unknown>): void
}

export type SessionRequest = Omit<SessionOpening, 'signal' | 'now'>

/** The sessions of this node. Listeners bring people, connectors bring machines; what happens in between is the same for all. */
export interface Gateway {
  /** Everybody at a terminal enters here first. */
  presence: Presence
  /** Own sessions that people may come back to. */
  reattachments: Reattachments
  /** Milliseconds. */
  now(): number
  /** Throws SessionRefusal. Once `gone` is aborted nobody waits for the session any more: it is given up in whatever state it is. */
  open(request: SessionRequest, gone: AbortSignal): Promise<LiveSession>
  /** A session that this node carries. */
  find(sessionId: string): LiveSession | undefined
  /** Renews the leases, ends what was ended elsewhere and carries out orders that were missed. Runs by itself. */
  beat(): Promise<void>
  /** Ends what has reached a limit or lost its permission or sign-in. Runs by itself. */
  check(): Promise<void>
  /** Ends all sessions, with everything stored. */
  close(): Promise<void>
}

export async function openGateway(kernel: Kernel, { maxSessions = MAX_SESSIONS, now = Date.now }: GatewayOptions = {}): Promise<Gateway> {
  const { log } = kernel.app
  const carried = new Set<Carried>()
  const presence = new Presence(kernel)
  const reattachments = new Reattachments(kernel)
  let closing = false
  const terminalId = await registerBuiltinTerminal(kernel, {
    type: 'koko',
    name: `[KoKo]-${hostname()}`,
    remoteAddress: kernel.config.host,
  })

  const find = (id: string) => [...carried].find(({ sessionId }) => sessionId === id)
  const terminate = async (id: string, by: string) => {
    const one = find(id)
    if (!one) return
    // First the end, then its note: a database that does not answer must not keep a session alive.
    one.end('terminated', 'The session was ended by {{by}}', { by })
    await finishKillOrders(kernel, id)
  }
  const beat = async () => {
    const ids = [...carried].flatMap(({ sessionId }) => sessionId ?? [])
    await noteBuiltinAlive(kernel, terminalId)
    const open = new Set(await heartbeat(kernel.db, ids))
    // Ended elsewhere, for instance because its lease ran out while this node hung.
    for (const id of ids) if (!open.has(id)) find(id)?.end('terminated', 'The session was ended')
    for (const order of await openKillOrders(kernel, ids)) await terminate(order.session, order.terminated_by)
  }
  const check = async () => {
    const all = [...carried].flatMap((one) => (one.live ? [{ one, live: one.live }] : [])).sort((a, b) => a.one.asked - b.one.asked)
    const turn = Math.max(PERMISSIONS_A_CHECK, Math.ceil((all.length * CHECK_MS) / PERMISSION_MS))
    for (const [n, { one, live }] of all.entries()) await guarded(() => checkLimits(one, live, n < turn))
    await guarded(() => presence.checkSignIns())
    await guarded(() => presence.checkAllowed())
  }
  const checkLimits = async (one: Carried, live: LiveSession, isItsTurn: boolean) => {
    live.settleCommands()
    const minutes = settingsOf(kernel).get('SECURITY_MAX_IDLE_TIME')
    const hours = settingsOf(kernel).get('SECURITY_MAX_SESSION_TIME')
    if (now() - live.lastActive > minutes * MINUTE_MS)
      one.end('idle', 'No traffic for {{minutes|minute|minutes}}, the session is ended', { minutes })
    else if (now() - live.startedAt > hours * HOUR_MS)
      one.end('too_long', 'A session may last {{hours|hour|hours}}, it is ended', { hours })
    else if (live.waitingSince !== undefined && now() - live.waitingSince > reattachments.minutes * MINUTE_MS)
      one.end('waited', 'Nobody came back within {{minutes|minute|minutes}}, the session is ended', { minutes: reattachments.minutes })
    else if (isItsTurn || now() > live.permittedUntil) await askPermission(one)
  }
  const askPermission = async (one: Carried) => {
    const { person, assetId, systemUserId } = one.question
    const ended = () => one.end('permission', 'Your permission for this asset has ended')
    one.asked = now()
    try {
      const { allowed, expireAt, mask } = await mayConnect(kernel.db, {
        userId: person.id,
        target: { family: 'asset', id: assetId },
        systemUserId,
      })
      const mayGoOn = allowed && !missingRight(one.question.program, mask)
      if (!mayGoOn) ended()
      else if (one.live) one.live.permittedUntil = expireAt * 1000
    } catch (error) {
      // As long as nobody says otherwise the last answer holds, but not beyond its end.
      if (one.live && now() > one.live.permittedUntil) ended()
      throw error
    }
  }
  const guarded = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, 'gateway')
    }
  }
  /** A run that takes longer than the interval is not overtaken by the next. */
  const every = (milliseconds: number, work: () => Promise<void>) => {
    let running = false
    return setInterval(() => {
      if (running) return
      running = true
      void guarded(work).finally(() => {
        running = false
      })
    }, milliseconds)
  }
  const sweep = async () => {
    const finished = await recoverRecordings(kernel, (id) => find(id) !== undefined)
    if (finished) log.info({ finished }, 'recordings of ended sessions packed')
  }
  const lookAgainAt = (users: readonly string[]) => {
    for (const one of carried) if (users.includes(one.question.person.id)) void guarded(() => askPermission(one))
    void guarded(() => presence.checkSignIns())
    for (const user of users) void guarded(() => presence.checkAllowed(user))
  }
  const timers = [every(HEARTBEAT_MS, beat), every(CHECK_MS, check), every(RECOVERY_MS, sweep)]
  const unsubscribe = [
    kernel.events.subscribe(
      KILL_EVENT,
      ({ session, terminated_by }) => void guarded(() => terminate(String(session), String(terminated_by))),
    ),
    kernel.events.subscribe(LOCK_EVENT, ({ session, locked, by }) => find(String(session))?.live?.setLocked(locked === true, String(by))),
    kernel.events.subscribe(USER_CHANGED, ({ user_id }) => lookAgainAt([String(user_id)])),
    kernel.events.subscribe(MEMBERSHIP_LOST, ({ users }) => lookAgainAt(users as string[])),
  ]

  return {
    presence,
    reattachments,
    now,
    beat,
    check,
    find: (id) => find(id)?.live,
    async open(request, gone) {
      if (closing) throw new SessionRefusal('The server is being stopped')
      // Those that are still connecting count: they will be sessions when they are through.
      if (carried.size >= maxSessions) throw new SessionRefusal('This server carries as many sessions as it can')
      const abort = new AbortController()
      const { promise: over, resolve: isOver } = Promise.withResolvers<void>()
      const one: Carried = {
        question: request,
        over,
        asked: now(),
        end(reason, text, values) {
          if (one.live) void one.live.end(reason, text, values)
          else abort.abort(new SessionRefusal(text, values))
        },
      }
      void over.then(() => {
        carried.delete(one)
        gone.removeEventListener('abort', leave)
      })
      const leave = () => (one.live ? void one.live.end('left') : abort.abort(new SessionRefusal('Cancelled')))
      carried.add(one)
      gone.addEventListener('abort', leave)
      try {
        if (gone.aborted) throw new SessionRefusal('Cancelled')
        one.live = await openSession(kernel, terminalId, {
          ...request,
          now,
          signal: abort.signal,
          onCreated(session) {
            one.sessionId = session.id
            request.onCreated?.(session)
          },
        })
      } catch (error) {
        isOver()
        throw error
      }
      void one.live.ended.then(isOver)
      return one.live
    },
    async close() {
      closing = true
      for (const timer of timers) clearInterval(timer)
      for (const stop of unsubscribe) stop()
      const all = [...carried]
      for (const one of all) one.end('shutdown', 'The server is being stopped, the session is ended')
      await Promise.race([Promise.all(all.map(({ over }) => over)), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
    },
  }
}
