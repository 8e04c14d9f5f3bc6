import { spoken } from '@sallyport/contract/names.ts'
import { MEMBERSHIP_LOST } from '../domains/orgs/index.ts'
import { settingsOf } from '../domains/settings/index.ts'
import { endForwardedOfLost } from '../domains/terminal/forwarding/index.ts'
import {
  endLostSessions,
  endNotCarried,
  finishKillOrders,
  heartbeat,
  KILL_EVENT,
  LOCK_EVENT,
  lockOrders,
  noteBuiltinAlive,
  openKillOrders,
} from '../domains/terminal/index.ts'
import { bringRecordingsOut, recordingStore } from '../domains/terminal/recording/index.ts'
import { USER_CHANGED } from '../domains/users/index.ts'
import { awaitedLater, inBackground } from '../kernel/background.ts'
import { RECONNECTED } from '../kernel/events/events.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { CarriedSession } from './carried-session.ts'
import type { AnySession } from './kinds/index.ts'
import { type Permission, permissionsOfAll } from './opening/permission.ts'
import { recoverRecordings } from './recording/crash-recovery.ts'
import { rebuildLost } from './recording/rebuild.ts'
import { notice } from './session/notice.ts'
import type { Presence } from './session/presence.ts'

const HEARTBEAT_MS = 20_000
/**
 * How often sign-ins, idle time, lifetime and the permissions of all sessions are checked
 * (docs/rules/gateway.md#limits).
 */
const CHECK_MS = 5_000
/**
 * Recordings that couldn't be kept when their session ended are tried again this often; where nodes
 * share a store, those of lost nodes are looked for as well.
 */
const RECOVERY_MS = { ofThisNode: 600_000, shared: 30_000 } as const
/** How often lost nodes are looked for. */
const LOST_MS = 10_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

export interface SupervisionOptions {
  terminalId: string
  carried: ReadonlySet<CarriedSession>
  presence: Presence
  /** See `GatewayOptions`. */
  now: () => number
  elapsed: () => number
  /** Minutes that a session is kept for its person to come back. */
  reattachMinutes(): number
}

/**
 * Holds the sessions of this node to their limits: leases, orders from elsewhere, idle time,
 * lifetime, permission, sign-in.
 */
export class Supervision {
  readonly #kernel: Kernel
  readonly #options: SupervisionOptions
  readonly #timers: NodeJS.Timeout[]
  readonly #unsubscribe: (() => void)[]
  #recovering: Promise<void> | undefined

  constructor(kernel: Kernel, options: SupervisionOptions) {
    this.#kernel = kernel
    this.#options = options
    this.#timers = [
      this.#every(HEARTBEAT_MS, () => this.beat()),
      this.#every(CHECK_MS, () => this.check()),
      this.#every(LOST_MS, () => this.endLost()),
      this.#every(recordingStore(kernel.config).ofThisNode ? RECOVERY_MS.ofThisNode : RECOVERY_MS.shared, () =>
        this.recover(),
      ),
      this.#every(MINUTE_MS, () => bringRecordingsOut(kernel, options.terminalId)),
    ]
    this.#unsubscribe = [
      kernel.events.subscribe(KILL_EVENT, ({ session, terminated_by }) => {
        inBackground(this.#guarded(() => this.#terminate(String(session), String(terminated_by))))
      }),
      kernel.events.subscribe(LOCK_EVENT, ({ session, locked, by }) => {
        this.#find(String(session))?.live?.setLocked(locked === true, String(by))
      }),
      // Orders may have been reported meanwhile.
      kernel.events.subscribe(RECONNECTED, () => inBackground(this.#guarded(() => this.beat()))),
      kernel.events.subscribe(USER_CHANGED, ({ user_id }) => this.#lookAgainAt([String(user_id)])),
      kernel.events.subscribe(MEMBERSHIP_LOST, ({ users }) => this.#lookAgainAt(users as string[])),
    ]
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    for (const stop of this.#unsubscribe) stop()
  }

  /**
   * Renews leases, ends what was ended elsewhere, and carries out orders whose event was missed.
   */
  async beat(): Promise<void> {
    const ids = [...this.#options.carried].flatMap(({ sessionId }) => sessionId ?? [])
    await noteBuiltinAlive(this.#kernel, this.#options.terminalId)
    const open = new Set(await heartbeat(this.#kernel.db, ids))
    await endNotCarried(this.#kernel.db, this.#options.terminalId, ids)
    // Ended elsewhere, for instance because this node hung and was taken for lost.
    for (const id of ids)
      if (!open.has(id)) this.#find(id)?.end('terminated', notice('terminated', 'The session was terminated'))
    for (const order of await openKillOrders(this.#kernel, ids))
      await this.#terminate(order.session, order.terminated_by)
    for (const { session, locked, by } of await lockOrders(this.#kernel, ids))
      this.#find(session)?.live?.setLocked(locked, by)
  }

  /** Ends what lost nodes carried, and keeps their recordings. */
  async endLost(): Promise<void> {
    const ended = await endLostSessions(this.#kernel)
    if (ended.length) await this.recover()
  }

  /** Ends sessions that have reached a limit or lost their permission or sign-in. */
  async check(): Promise<void> {
    const { carried, presence } = this.#options
    const going = [...carried].filter((one) => {
      one.live?.settle()
      return one.live && !this.#endAtLimit(one, one.live)
    })
    await this.#guarded(() => this.#askPermissions(going))
    await this.#guarded(() => presence.checkSignIns())
    await this.#guarded(() => presence.checkAllowed())
  }

  /** Ends it at a limit; answers whether one was reached. */
  #endAtLimit(one: CarriedSession, live: AnySession): boolean {
    const now = this.#options.elapsed()
    const minutes = settingsOf(this.#kernel).get('SECURITY_MAX_IDLE_TIME')
    const hours = settingsOf(this.#kernel).get('SECURITY_MAX_SESSION_TIME')
    const waitsFor = this.#options.reattachMinutes()
    if (now - live.lastActive > minutes * MINUTE_MS)
      one.end('idle', notice('idle', 'No activity for {{minutes|minute|minutes}}: the session is closed', { minutes }))
    else if (now - live.startedAt > hours * HOUR_MS)
      one.end(
        'too_long',
        notice('too_long', 'A session may last at most {{hours|hour|hours}}: it is closed', { hours }),
      )
    else if (live.waitingSince !== undefined && now - live.waitingSince > waitsFor * MINUTE_MS)
      one.end(
        'waited',
        notice('waited', 'Nobody came back within {{minutes|minute|minutes}}: the session is closed', {
          minutes: waitsFor,
        }),
      )
    else return false
    return true
  }

  /** Asks for the rights of these sessions at once, and ends those that lost theirs. */
  async #askPermissions(sessions: readonly CarriedSession[]): Promise<void> {
    if (!sessions.length) return
    try {
      const permissions = await permissionsOfAll(
        this.#kernel,
        sessions.map(({ request }) => request),
      )
      for (const [at, one] of sessions.entries())
        await this.#guarded(async () => this.#hold(one, permissions[at] as Permission))
    } catch (error) {
      // While permissions can't be asked, the last answer counts, until the permission's end.
      for (const one of sessions) if (one.live && this.#options.now() > one.live.permittedUntil) endWithoutRight(one)
      throw error
    }
  }

  #hold(one: CarriedSession, { allowed, missing, databases, forwarding, machine, until }: Permission): void {
    if (!allowed || missing) {
      endWithoutRight(one)
      return
    }
    if (!one.live) return
    one.live.permittedUntil = until
    one.databases.names = databases
    one.request.onForwardingRight?.(forwarding, machine)
    const { forbidden: database } = one.databases
    if (database !== undefined)
      one.end(
        'permission',
        notice('permission', 'Your permission does not lead to the database {{database}}', { database }),
      )
  }

  async #terminate(id: string, by: string): Promise<void> {
    const one = this.#find(id)
    if (!one) return
    // End the session before storing that: a database that does not answer must not keep it alive.
    one.end('terminated', notice('terminated', 'The session was terminated by {{by}}', { by: spoken(by) }))
    await finishKillOrders(this.#kernel, id)
  }

  /** Checks everything about these people again. */
  #lookAgainAt(users: readonly string[]): void {
    const { carried, presence } = this.#options
    const theirs = [...carried].filter(({ request }) => users.includes(request.person.id))
    inBackground(this.#guarded(() => this.#askPermissions(theirs)))
    inBackground(this.#guarded(() => presence.checkSignIns()))
    for (const user of users) inBackground(this.#guarded(() => presence.checkAllowed(user)))
  }

  /** Keeps the recordings that were left over, here and by nodes that are gone. */
  recover(): Promise<void> {
    this.#recovering ??= awaitedLater(
      this.#guarded(() => this.#recover()).finally(() => {
        this.#recovering = undefined
      }),
    )
    return this.#recovering
  }

  async #recover(): Promise<void> {
    const isLiving = (id: string) => this.#find(id) !== undefined
    await endForwardedOfLost(this.#kernel.db)
    const recovered = await recoverRecordings(this.#kernel, isLiving)
    const rebuilt = await rebuildLost(this.#kernel, isLiving)
    if (recovered || rebuilt) this.#kernel.app.log.info({ recovered, rebuilt }, 'recordings of ended sessions kept')
  }

  #find(id: string): CarriedSession | undefined {
    return [...this.#options.carried].find(({ sessionId }) => sessionId === id)
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#kernel.app.log.error({ err: error }, 'gateway')
    }
  }

  /** A run that takes longer than the interval delays the next one. */
  #every(milliseconds: number, work: () => Promise<void>): NodeJS.Timeout {
    let running = false
    return setInterval(() => {
      if (running) return
      running = true
      inBackground(
        this.#guarded(work).finally(() => {
          running = false
        }),
      )
    }, milliseconds)
  }
}

const endWithoutRight = (one: CarriedSession): void =>
  one.end('permission', notice('permission', 'Your permission for this asset has ended'))
