/** Faults at every step of a rotation, whatever the target is, and what was lost by them. */
import type { Line } from './line-fixture.ts'
import type { OpenedTask } from './open-task.ts'
import { type Ledger, type Outcome, rotate, type Secrets, settle, type Target } from './protocol.ts'
import { RotationError } from './rotation-error.ts'

/** An account of a real target, and all that can happen to it. */
export interface Subject {
  line: Line
  begin(): Promise<OpenedTask>
  /** The secret of the next run. */
  wanted(): Secrets
  /** Whether a session, with what is stored, gets in. */
  getsIn(): Promise<boolean>
  /** The changed part that is followed through all faults. */
  part: 'password' | 'private_key'
  /** What somebody else sets, behind everybody's back. */
  someSecret(): string
  setByHand(secret: string): Promise<void>
  /** Whether one gets in with this. */
  asPerson(secret: string): Promise<boolean>
  /** Enters what the secret is now, as an administrator would. */
  enter(secret: string): Promise<void>
  stored(): Promise<StoredSecrets>
  crash?(): Promise<void>
  start?(): Promise<void>
  disk?: { fill(): void | Promise<void>; free(): void | Promise<void> }
  /** Settles when nothing of an earlier run can still arrive. */
  quiet?(): Promise<void>
}

export interface StoredSecrets {
  current: string | undefined
  candidate: string | undefined
  previous: string[]
}

type When = 'before' | 'after'
export type Fault = { what: string } & (
  | { kind: 'kill' | 'crash' | 'full disk' | 'by hand'; at: number; when: When }
  | { kind: 'cut'; connection: number; bytes: number }
)

/** The calls of a run without a fault. */
export const CALLS = [
  'candidate',
  'propose',
  'step',
  'preflight',
  'step',
  'change',
  'step',
  'candidate',
  'works',
  'keep',
]

/** One of a kind before and after each step of a run. */
export const faultsOf = (kind: Exclude<Fault['kind'], 'cut'>): Fault[] =>
  CALLS.flatMap((name, at) =>
    (['before', 'after'] as const).map((when) => ({ kind, at, when, what: `${kind} ${when} call ${at + 1}, ${name}` })),
  )

/** So many cuts in each connection of a run, of which `sent` says how many bytes went over it. */
export const cutsOf = (sent: readonly number[], each: number): Fault[] =>
  sent.flatMap((length, connection) =>
    Array.from({ length: each }, (_, part) => Math.floor((length * part) / each)).map((bytes) => ({
      ...{ kind: 'cut' as const, connection, bytes },
      what: `connection ${connection + 1} cut after ${bytes} of ${length} bytes`,
    })),
  )

/** A run to which nothing happens: its calls, and the bytes that it sent over each connection. */
export async function cleanRun(subject: Subject): Promise<{ outcome: Outcome; calls: string[]; sent: number[] }> {
  const calls: string[] = []
  subject.line.mend()
  const outcome = await run(subject, (parts) => killAt(parts, Number.POSITIVE_INFINITY, 'after', calls))
  return { outcome, calls, sent: [...subject.line.sent] }
}

/** What became of a run with a fault in it, and what is lost for good: empty where nothing is. */
export interface Aftermath {
  state: Outcome['state'] | 'killed'
  loss: string
}

/** @param comesToRest whether the account is settled afterwards; else the next fault finds it as this one left it */
export async function bringAbout(subject: Subject, fault: Fault, { comesToRest = true } = {}): Promise<Aftermath> {
  const before = await subject.stored()
  const wanted = subject.wanted()
  const byHand = subject.someSecret()
  let wasProven = false
  const setByHand = async (call: string) => {
    wasProven = call === 'keep' || (call === 'works' && isAfter(fault))
    await subject.setByHand(byHand)
  }
  if (fault.kind === 'cut') subject.line.cutAt(fault.connection, fault.bytes)
  const outcome = await run(subject, (parts) => meeting(subject, parts, fault, setByHand), wanted).catch((error) => {
    if (!(error instanceof Killed)) throw error
  })
  subject.line.mend()
  await subject.disk?.free()
  await subject.start?.()
  const after = { state: outcome?.state ?? ('killed' as const) }
  if (fault.kind === 'by hand' && (await subject.asPerson(byHand))) {
    if (outcome?.state === 'succeeded' && !wasProven && !(await subject.getsIn()))
      return { ...after, loss: 'it is said to have succeeded, and nobody gets in' }
    const { current, candidate, previous } = await subject.stored()
    const stored = [current, candidate, ...previous]
    if (!stored.includes(before.current)) return { ...after, loss: 'the old secret is not stored any more' }
    const wasSent = outcome?.state !== 'failed' || outcome.wasSent
    // A candidate that an earlier run has left is taken up.
    if (wasSent && !stored.includes(before.candidate ?? wanted[subject.part]))
      return { ...after, loss: 'the new secret is not stored any more' }
    await subject.enter(byHand)
    const next = await unlessInDoubt(() => run(subject))
    if (next.state !== 'succeeded') return { ...after, loss: `with what was entered the next run is ${next.state}` }
  }
  if (!(await subject.getsIn())) return { ...after, loss: 'no session gets in' }
  return { ...after, loss: comesToRest ? await lossAtRest(subject) : '' }
}

async function lossAtRest(subject: Subject): Promise<string> {
  await subject.quiet?.()
  const { ledger, target } = await subject.begin()
  try {
    const outcome = await unlessInDoubt(() => settle(ledger, target, new RotationError('not_changed')))
    if (outcome.state === 'unknown') return `it does not come to rest: ${outcome.error.code} ${outcome.error.detail}`
    if (await ledger.candidate()) return 'it does not come to rest: its candidate stays'
    const current = await ledger.current()
    if (!current || !(await target.works(current))) return 'at rest, one of the stored secrets does not log in'
  } finally {
    target.close()
  }
  return (await subject.getsIn()) ? '' : 'at rest, no session gets in'
}

/**
 * What nobody could tell, because the target did not answer in time, is tried again, as the clock does: a
 * machine that is busy with other work loses nothing by that.
 */
async function unlessInDoubt(work: () => Promise<Outcome>): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    const outcome = await work()
    const isInDoubt =
      outcome.state === 'unknown' || (outcome.state === 'failed' && outcome.error.code === 'unreachable')
    if (!isInDoubt || tries === TRIES) return outcome
  }
}
const TRIES = 3

const isAfter = (fault: Fault): boolean => fault.kind !== 'cut' && fault.when === 'after'

function meeting<T extends Ledger & Target>(
  subject: Subject,
  parts: T,
  fault: Fault,
  setByHand: (call: string) => Promise<void>,
): T {
  if (fault.kind === 'cut') return parts
  if (fault.kind === 'kill') return killAt(parts, fault.at, fault.when, [])
  const happens = {
    crash: async () => subject.crash?.(),
    'full disk': async () => subject.disk?.fill(),
    'by hand': setByHand,
  }
  return meanwhileAt(parts, fault.at, fault.when, happens[fault.kind])
}

/** A run from its beginning to its end, whatever happens in it. */
async function run(
  subject: Subject,
  change = (parts: Ledger & Target) => parts,
  wanted = subject.wanted(),
): Promise<Outcome> {
  const opened = await subject.begin()
  try {
    const parts = change(both(opened))
    return await rotate(parts, parts, wanted)
  } finally {
    opened.target.close()
  }
}

/** The node is killed: nothing that it would have done comes to pass any more. */
export class Killed extends Error {}

/** Counts the calls of a run, and kills it before or after one of them. */
function killAt<T extends Ledger & Target>(parts: T, at: number, when: When, calls: string[]): T {
  let isDead = false
  return wrapped(parts, async (name, call) => {
    if (isDead) throw new Killed()
    const isIt = calls.push(name) - 1 === at
    if (isIt && when === 'before') isDead = true
    if (isDead) throw new Killed()
    const answer = await call()
    if (isIt) isDead = true
    if (isDead) throw new Killed()
    return answer
  })
}

/** The same run, in which something happens before or after one of its calls. */
function meanwhileAt<T extends Ledger & Target>(
  parts: T,
  at: number,
  when: When,
  happens: (call: string) => Promise<void>,
): T {
  let calls = 0
  return wrapped(parts, async (name, call) => {
    const isIt = calls++ === at
    if (isIt && when === 'before') await happens(name)
    try {
      return await call()
    } finally {
      if (isIt && when === 'after') await happens(name)
    }
  })
}

const wrapped = <T extends Ledger & Target>(
  parts: T,
  around: (name: string, call: () => Promise<unknown>) => Promise<unknown>,
): T =>
  new Proxy(parts, {
    get(of, name) {
      const method = Reflect.get(of, name)
      if (typeof method !== 'function' || name === 'close') return method
      return (...given: unknown[]) => around(String(name), async () => Reflect.apply(method, of, given))
    },
  })

/** Ledger and target as one, so that a run has one order of calls. */
export const both = ({ ledger, target }: OpenedTask): Ledger & Target => ({
  ...ledger,
  preflight: () => target.preflight(),
  change: (secrets) => target.change(secrets),
  works: (secrets) => target.works(secrets),
})

/** `count` of these, spread over all, the first and last among them. */
export const spread = <T>(all: readonly T[], count: number): T[] =>
  all.length <= count
    ? [...all]
    : Array.from({ length: count }, (_, at) => all[Math.round((at * (all.length - 1)) / (count - 1))] as T)
