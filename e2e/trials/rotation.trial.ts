/**
 * `npm run trial rotation [runs] [kind]`: so many runs of the protocol on each kind of target, or on one, each with a
 * fault at another of its steps: the node is killed, the line is cut, the machine loses its power, its disk is full, the
 * secret is changed behind our back. Every third fault meets an account that the one before has left unsettled. A lost
 * secret is one with which no session gets in, or that is not stored any more.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Aftermath,
  bringAbout,
  cleanRun,
  cutsOf,
  type Fault,
  faultsOf,
  type Subject,
  spread,
} from '../../apps/server/src/domains/accounts/rotation/faults-fixture.ts'
import { type Machine, startMachine } from '../../apps/server/src/domains/accounts/rotation/machine-fixture.ts'
import { openRotationFixture, subjectOf } from '../../apps/server/src/domains/accounts/rotation/rotation-fixture.ts'
import { openSmallDisk, type SmallDisk } from '../../apps/server/src/domains/accounts/rotation/small-disk-fixture.ts'
import {
  databaseSubject,
  openDatabaseRotationFixture,
} from '../../apps/server/src/gateway/databases/rotation-fixture.ts'

const RUNS = Number(process.env.TRIAL_RUNS ?? 500)
/** So often it says how far it is: a trial of hours that is ended early has told something. */
const PROGRESS = 20
const LIMIT_MS = RUNS * 60_000
/** Room for what the servers begin with: PostgreSQL writes ahead in files of 16 MB, MariaDB has a log of 96 MB. */
const DISK_MB = { mariadb: 400, postgresql: 160 }
/** MariaDB looks for room once a minute: of such runs it has one at each step. */
const MOST_FULL_DISKS: Partial<Record<Kind, number>> = { mariadb: faultsOf('full disk').length }

const MACHINE_KINDS = { passwords: 'password', keys: 'key', 'passwords-and-keys': 'both' } as const
const DATABASE_KINDS = ['mariadb', 'postgresql', 'sqlserver', 'oracle'] as const
type MachineKind = keyof typeof MACHINE_KINDS
type Kind = MachineKind | (typeof DATABASE_KINDS)[number]

const all: Kind[] = [...(Object.keys(MACHINE_KINDS) as MachineKind[]), ...DATABASE_KINDS]
const asked = process.env.TRIAL_KIND
const wanted = all.filter((kind) => !asked || kind === asked)
if (!wanted.length) throw new Error(`There is no kind ${asked}. Kinds: ${all.join(', ')}`)

describe.runIf(wanted.some((kind) => kind in MACHINE_KINDS))('a machine over SSH', () => {
  let machine: Machine
  let hosts: Awaited<ReturnType<typeof openRotationFixture>>
  beforeAll(async () => {
    machine = await startMachine()
    hosts = await openRotationFixture(machine)
  })
  afterAll(() => hosts?.close())

  test.each(wanted.filter((kind) => kind in MACHINE_KINDS) as MachineKind[])(
    '%s',
    async (kind) => {
      expect(await tryOut(kind, await subjectOf(hosts, { machine, changes: MACHINE_KINDS[kind] }))).toEqual([])
    },
    LIMIT_MS,
  )
})

describe.runIf(wanted.some((kind) => !(kind in MACHINE_KINDS)))('a database', () => {
  let databases: Awaited<ReturnType<typeof openDatabaseRotationFixture>>
  let disks: Record<keyof typeof DISK_MB, SmallDisk>
  beforeAll(async () => {
    disks = { mariadb: openSmallDisk(DISK_MB.mariadb), postgresql: openSmallDisk(DISK_MB.postgresql) }
    databases = await openDatabaseRotationFixture(disks)
  })
  afterAll(async () => {
    await databases?.close()
    for (const disk of Object.values(disks ?? {})) disk.close()
  })

  test.each(DATABASE_KINDS.filter((kind) => wanted.includes(kind)))(
    '%s',
    async (kind) => {
      const disk = kind in disks ? disks[kind as keyof typeof disks] : undefined
      expect(await tryOut(kind, await databaseSubject(databases, kind, disk))).toEqual([])
    },
    LIMIT_MS,
  )
})

/**
 * Losses stay: a session that does not get in is asked for again, as a machine that is busy with
 * other work may have kept the first one waiting for too long. Each such time is printed.
 */
const patient = (name: Kind, subject: Subject): Subject => ({
  ...subject,
  async getsIn() {
    for (let tries = 1; ; tries++) {
      if (await subject.getsIn()) return true
      if (tries === TRIES) return false
      console.log(`${name}: no session got in at try ${tries}`)
    }
  },
})
const TRIES = 3

/** Answers what was lost, and prints what happened. */
async function tryOut(name: Kind, of: Subject): Promise<string[]> {
  const subject = patient(name, of)
  const { outcome, sent } = await cleanRun(subject)
  expect(outcome).toMatchObject({ state: 'succeeded' })
  const losses: string[] = []
  const counts: Record<string, Record<string, number>> = {}
  const begun = Date.now()
  for (const [turn, fault] of faults(name, subject, sent).entries()) {
    const end = await bringAbout(subject, fault, { comesToRest: turn % 3 !== 1 }).catch(
      (error): Aftermath => ({ state: 'unknown', loss: `fault of our own: ${error.stack}` }),
    )
    const row = (counts[fault.kind] ??= { runs: 0, lost: 0 })
    for (const key of ['runs', end.state, ...(end.loss ? ['lost'] : [])]) row[key] = (row[key] ?? 0) + 1
    if (end.loss) {
      losses.push(`${name}: ${fault.what}: ${end.loss}`)
      console.log(losses.at(-1))
    }
    // A loss may have locked the account out for good: the others shall be tried all the same.
    if (losses.length > 20) break
    if ((turn + 1) % PROGRESS === 0)
      console.log(
        `${name}: ${turn + 1} runs, ${losses.length} lost, ${Math.round((Date.now() - begun) / 1000)} s so far`,
      )
  }
  const total = Object.values(counts).reduce((sum, { runs: some = 0 }) => sum + some, 0)
  console.log(`${name}: ${total} runs, ${losses.length} lost, ${Math.round((Date.now() - begun) / 1000)} s`)
  console.table(counts)
  return losses
}

/** Half of them at steps, of every kind that can happen to it; the others are cuts, spread over all that is sent. */
function faults(name: Kind, { disk }: Subject, sent: readonly number[]): Fault[] {
  const kinds = (['kill', 'crash', 'by hand', 'full disk'] as const).filter((kind) => kind !== 'full disk' || disk)
  const each = Math.ceil(RUNS / 2 / kinds.length)
  const steps = kinds.flatMap((kind) => {
    const some = faultsOf(kind)
    const count = Math.min(each, (kind === 'full disk' && MOST_FULL_DISKS[name]) || each)
    return Array.from(
      { length: count },
      (_, turn) => (count < some.length ? spread(some, count)[turn] : some[turn % some.length]) as Fault,
    )
  })
  const cuts = RUNS - steps.length
  return mixed([steps, spread(cutsOf(sent, Math.ceil(cuts / sent.length)), cuts)])
}

/** Takes from each in turn, at the same pace, so that different faults follow one another. */
const mixed = <T>(lists: readonly T[][]): T[] =>
  lists
    .flatMap((list) => list.map((one, at) => ({ one, place: ((at * 7919) % list.length) / list.length })))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one)
