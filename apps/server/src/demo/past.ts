import { randomUUID } from 'node:crypto'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { type LoginAttempt, recordFileOperations, recordLogins } from '../domains/audits/index.ts'
import { appendCommands } from '../domains/terminal/commands/index.ts'
import { storePastForwarded } from '../domains/terminal/forwarding/index.ts'
import { type PastSession, storePastSessions, terminalListedSession } from '../domains/terminal/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { ADMINISTRATORS, BROWSER, FAILED_SIGN_INS } from './company.ts'
import { type Step, WORKS, type Work } from './work.ts'

/** The company as it was seeded. */
export interface Company {
  people: readonly Person[]
  machines: readonly Machine[]
  /** Ids by name. */
  systemUsers: ReadonlyMap<string, string>
  /** Sessions that were made just now and wait to be recorded. */
  past: readonly PastWork[]
}

const DAYS_BACK = 30
/** Sessions of a day, from Sunday on. */
const SESSIONS_OF_WEEKDAY = [2, 9, 11, 8, 12, 7, 3]
const MORNING_UTC = 1
const WORKING_HOURS = 9
const DAY_MS = 86_400_000

export interface Person {
  id: string
  name: string
  username: string
  group: string
}

export interface Machine {
  id: string
  hostname: string
  ip: string
}

/** A session of the past, and what was done in it. */
export interface PastWork {
  session: PastSession
  machine: Machine
  work: Work
}

/** When each step was typed, in seconds from the start: people read before they go on. */
export const SECONDS_BEFORE_STEP = 4
export const secondsOf = ({ typed, over = 0.3 }: Step): number => SECONDS_BEFORE_STEP + typed.length * 0.1 + over

/**
 * Stores sessions, commands, sign-ins and file operations of the last weeks, once: a start page
 * without a past shows nothing. Answers the sessions, newest first; none when there were some.
 */
export async function seedPast(
  { db }: Kernel,
  people: readonly Person[],
  machines: readonly Machine[],
): Promise<PastWork[]> {
  const [existing] = await db.select({ id: terminalListedSession.id }).from(terminalListedSession).limit(1)
  if (existing) return []
  const past = pastWork(people, machines, new Date())
  await storePastSessions(
    db,
    past.map(({ session }) => session),
  )
  await appendCommands(db, past.flatMap(commandsOf))
  await recordFileOperations(db, past.flatMap(filesOf))
  await storePastForwarded(db, past.flatMap(forwardedOf))
  await recordLogins(db, [
    ...past.map(({ session }) => signInOf(session, people)),
    ...officeSignIns(new Date()),
    ...failedSignIns(),
  ])
  return past.reverse()
}

/** Oldest first. The same every time but for the days. */
function pastWork(people: readonly Person[], machines: readonly Machine[], now: Date): PastWork[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const past: PastWork[] = []
  for (let day = DAYS_BACK; day >= 0; day--) {
    const midnight = today - day * DAY_MS
    const count = (SESSIONS_OF_WEEKDAY[new Date(midnight).getUTCDay()] ?? 0) + (day % 3)
    for (let n = 0; n < count; n++) {
      const hours = MORNING_UTC + (WORKING_HOURS * (n + 0.3)) / count
      const start = new Date(midnight + hours * 3_600_000 + ((day * 37 + n * 101) % 1000) * 1000)
      const number = past.length
      const work = WORKS[scattered(3 * number) % WORKS.length]
      const one = work && oneSession(work, people, machines, number, start)
      if (one && one.session.date_end < now) past.push(one)
    }
  }
  return past
}

/** The same number for the same, without a pattern that a reader sees (the end of MurmurHash3). */
function scattered(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

function oneSession(
  work: Work,
  people: readonly Person[],
  machines: readonly Machine[],
  number: number,
  start: Date,
): PastWork | undefined {
  const workers = people.filter(({ group }) => group === work.group)
  const places = machines.filter(({ hostname }) => hostname.startsWith(work.machines))
  const person = workers[scattered(3 * number + 1) % workers.length]
  const machine = places[scattered(3 * number + 2) % places.length]
  if (!person || !machine) return undefined
  const seconds = work.steps.reduce((sum, step) => sum + secondsOf(step), SECONDS_BEFORE_STEP)
  const session: PastSession = {
    id: randomUUID(),
    org_id: DEFAULT_ORG_ID,
    user: `${person.name}(${person.username})`,
    user_id: person.id,
    asset: `${machine.hostname}(${machine.ip})`,
    asset_id: machine.id,
    system_user: `${work.as}(${work.as})`,
    login_from: number % 3 ? 'WT' : 'ST',
    protocol: work.protocol ?? 'ssh',
    remote_addr: `10.5${number % 2}.1.${20 + (number % 40)}`,
    date_start: start,
    date_end: new Date(start.getTime() + seconds * 1000),
    sign_in_id: randomUUID(),
  }
  return { session, machine, work }
}

const namesOf = ({ user, asset, system_user, org_id }: PastSession) => ({ user, asset, system_user, org_id })

function commandsOf({ session, work }: PastWork) {
  let seconds = 0
  return work.steps.map((step) => {
    seconds += secondsOf(step)
    return {
      ...namesOf(session),
      session: session.id,
      input: step.typed,
      output: step.answer ?? '',
      risk_level: step.isDangerous ? 5 : 0,
      timestamp: Math.floor(session.date_start.getTime() / 1000 + seconds),
    }
  })
}

const filesOf = ({ session, work }: PastWork) =>
  (work.files ?? []).map(({ operate, filename, failed = false }, at) => ({
    ...namesOf(session),
    remote_addr: session.remote_addr ?? '',
    user_id: session.user_id ?? null,
    asset_id: session.asset_id ?? null,
    session_id: session.id,
    sign_in_id: session.sign_in_id ?? null,
    operate,
    filename,
    is_success: !failed,
    date_start: new Date(session.date_start.getTime() + (at + 1) * 9_000),
  }))

/** Developers with clients of their own look at the pages that they are building. */
function forwardedOf({ session, machine, work }: PastWork, number: number) {
  if (work.group !== 'Development 研发' || session.login_from !== 'ST') return []
  // They may not from machines of production.
  const isRefused = !machine.hostname.startsWith('stage-')
  return [
    {
      ...namesOf(session),
      session_id: session.id,
      user_id: session.user_id ?? '',
      asset_id: session.asset_id ?? '',
      remote_addr: session.remote_addr,
      sign_in_id: session.sign_in_id,
      destination: isRefused ? 'localhost:5432' : 'localhost:3000',
      outcome: isRefused ? ('refused' as const) : ('closed' as const),
      reason: isRefused ? 'Your permission for this asset does not include port forwarding' : null,
      bytes_sent: isRefused ? 0 : 2_000 + (scattered(number) % 40_000),
      bytes_received: isRefused ? 0 : 90_000 + (scattered(number + 1) % 4_000_000),
      date_start: session.date_start,
      date_end: isRefused ? session.date_start : session.date_end,
    },
  ]
}

function signInOf(session: PastSession, people: readonly Person[]): LoginAttempt {
  const person = people.find(({ id }) => id === session.user_id)
  const isWeb = session.login_from === 'WT'
  return {
    ...(session.sign_in_id ? { id: session.sign_in_id } : {}),
    username: person?.username ?? '',
    type: isWeb ? 'W' : 'T',
    ip: session.remote_addr ?? '',
    userAgent: isWeb ? BROWSER : 'SSH-2.0-OpenSSH_9.2p1',
    mfa: person?.group === 'Operations 运维',
    backend: isWeb ? 'Password' : 'SSH Key',
    success: true,
    at: new Date(session.date_start.getTime() - 40_000),
  }
}

/** Administrators and auditors sign in on every working day, and open no sessions. */
function officeSignIns(now: Date): LoginAttempt[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return ADMINISTRATORS.flatMap(([username], which) =>
    Array.from({ length: DAYS_BACK }, (_, day) => new Date(today - (day + 1) * DAY_MS + (8 + which) * 3_600_000))
      .filter((at) => at.getUTCDay() % 6 !== 0)
      .map((at, day) => ({
        username,
        type: 'W' as const,
        ip: `10.50.2.${11 + which}`,
        userAgent: BROWSER,
        mfa: true,
        backend: 'Password',
        success: true,
        at: new Date(at.getTime() + ((day * 37) % 50) * 60_000),
      })),
  )
}

const failedSignIns = (): LoginAttempt[] =>
  FAILED_SIGN_INS.flatMap(({ username, ip, city, reason, hoursAgo, times = 1 }) =>
    Array.from({ length: times }, (_, at) => ({
      username,
      type: 'W' as const,
      ip,
      city,
      reason,
      userAgent: BROWSER,
      success: false,
      at: new Date(Date.now() - hoursAgo * 3_600_000 + at * 21_000),
    })),
  )
