import { hostname } from 'node:os'
import { mayConnect } from '../domains/perms/index.ts'
import { settingsOf } from '../domains/settings/index.ts'
import {
  finishKillOrders,
  heartbeat,
  KILL_EVENT,
  noteBuiltinAlive,
  openKillOrders,
  registerBuiltinTerminal,
} from '../domains/terminal/index.ts'
import { USER_CHANGED } from '../domains/users/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { openSession, type SessionQuestion } from './broker.ts'
import { finishLeftovers } from './leftovers.ts'
import type { LiveSession } from './live-session.ts'
import { SessionRefusal } from './types.ts'

/** Sessions that one node carries at most; each costs memory and two sockets. */
const MAX_SESSIONS = 1000
const HEARTBEAT_MS = 20_000
/** Idle, lifetime and permission are looked at this often. */
const CHECK_MS = 5_000
/** Permissions of quiet sessions are asked for again after this (contract/gateway.yaml limits). */
const PERMISSION_MS = 30_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** On shutdown sessions get this long to store their end. */
const CLOSE_MS = 5_000

interface Carried {
  live: LiveSession
  question: Pick<SessionQuestion, 'assetId' | 'systemUserId'>
  permissionAsked: number
}

/** The sessions of this node. Listeners bring people, connectors bring machines; what happens in between is the same for all. */
export interface Gateway {
  /** Throws SessionRefusal. */
  open(question: SessionQuestion): Promise<LiveSession>
  /** A session that this node carries. */
  find(sessionId: string): LiveSession | undefined
  /** Ends all sessions, with everything stored. */
  close(): Promise<void>
}

export async function openGateway(kernel: Kernel): Promise<Gateway> {
  const { log } = kernel.app
  const sessions = new Map<string, Carried>()
  let closing = false
  const leftovers = await finishLeftovers(kernel)
  if (leftovers) log.warn({ leftovers }, 'recordings of a killed process were finished')
  const terminalId = await registerBuiltinTerminal(kernel, {
    type: 'koko',
    name: `[KoKo]-${hostname()}`,
    remoteAddress: kernel.config.host,
  })

  const terminate = async (id: string, by: string) => {
    const carried = sessions.get(id)
    if (!carried) return
    await finishKillOrders(kernel, id)
    await carried.live.end('terminated', 'The session was ended by {{by}}', { by })
  }
  const beat = async () => {
    const ids = [...sessions.keys()]
    await noteBuiltinAlive(kernel, terminalId)
    const open = new Set(await heartbeat(kernel.db, ids))
    // Ended elsewhere, for instance because its lease ran out while this node hung.
    for (const id of ids) if (!open.has(id)) await sessions.get(id)?.live.end('terminated', 'The session was ended')
    for (const order of await openKillOrders(kernel, ids)) await terminate(order.session, order.terminated_by)
  }
  const check = async () => {
    const settings = settingsOf(kernel)
    const now = Date.now()
    for (const carried of [...sessions.values()]) {
      const { live } = carried
      const idleMinutes = settings.get('SECURITY_MAX_IDLE_TIME')
      const hours = settings.get('SECURITY_MAX_SESSION_TIME')
      if (now - live.lastActive > idleMinutes * MINUTE_MS)
        await live.end('idle', 'No traffic for {{minutes}} minutes, the session is ended', { minutes: idleMinutes })
      else if (now - live.startedAt > hours * HOUR_MS)
        await live.end('too_long', 'A session may last {{hours}} hours, it is ended', { hours })
      else if (now > live.permittedUntil || now - carried.permissionAsked > PERMISSION_MS) await askPermission(carried)
    }
  }
  const askPermission = async (carried: Carried) => {
    const { live, question } = carried
    carried.permissionAsked = Date.now()
    const { allowed, expireAt } = await mayConnect(kernel.db, {
      userId: live.person.id,
      assetId: question.assetId,
      systemUserId: question.systemUserId,
    })
    if (allowed) live.permittedUntil = expireAt * 1000
    else await live.end('permission', 'Your permission for this asset has ended')
  }
  const guarded = (work: () => Promise<void>) => () => void work().catch((error) => log.error({ err: error }, 'gateway'))
  const timers = [setInterval(guarded(beat), HEARTBEAT_MS), setInterval(guarded(check), CHECK_MS)]
  const unsubscribe = [
    kernel.events.subscribe(KILL_EVENT, (order) => guarded(() => terminate(String(order.session), String(order.terminated_by)))()),
    kernel.events.subscribe(USER_CHANGED, ({ user_id }) => {
      for (const carried of sessions.values()) if (carried.live.person.id === user_id) guarded(() => askPermission(carried))()
    }),
  ]

  return {
    async open(question) {
      if (closing) throw new SessionRefusal('The server is being stopped')
      if (sessions.size >= MAX_SESSIONS) throw new SessionRefusal('This server carries as many sessions as it can')
      const live = await openSession(kernel, terminalId, question)
      sessions.set(live.id, { live, question, permissionAsked: Date.now() })
      void live.ended.then(() => sessions.delete(live.id))
      return live
    },
    find: (id) => sessions.get(id)?.live,
    async close() {
      closing = true
      for (const timer of timers) clearInterval(timer)
      for (const stop of unsubscribe) stop()
      const ends = [...sessions.values()].map(({ live }) => live.end('shutdown', 'The server is being stopped, the session is ended'))
      await Promise.race([Promise.allSettled(ends), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
    },
  }
}
