/**
 * `npm run trial rotation [runs]`: so many runs of the protocol on each kind of target, each with a
 * fault at another of its steps: the node is killed, the line is cut, the machine loses its power,
 * its disk is full, the password is changed behind our back. Every third fault meets an account
 * that the one before has left unsettled. A lost secret is one with which no session gets in, or
 * that is not stored any more.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  databaseSubject,
  openDatabaseRotationFixture,
} from '../../apps/server/src/domains/accounts/rotation/database-fixture.ts'
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
import { openSmallDisk } from '../../apps/server/src/domains/accounts/rotation/small-disk-fixture.ts'

const RUNS = Number(process.env.TRIAL_RUNS ?? 500)
const LIMIT_MS = RUNS * 60_000
/** Room for what the servers begin with: PostgreSQL writes ahead in files of 16 MB, MariaDB has a log of 96 MB. */
const DISK_MB = { mariadb: 400, postgresql: 160 }

let machine: Machine
let hosts: Awaited<ReturnType<typeof openRotationFixture>>
let databases: Awaited<ReturnType<typeof openDatabaseRotationFixture>>
const disks = { mariadb: openSmallDisk(DISK_MB.mariadb), postgresql: openSmallDisk(DISK_MB.postgresql) }

beforeAll(async () => {
  machine = await startMachine()
  hosts = await openRotationFixture(machine)
  databases = await openDatabaseRotationFixture(disks)
})
afterAll(async () => {
  await hosts?.close()
  await databases?.close()
  for (const disk of Object.values(disks)) disk.close()
})

test(
  'a machine over SSH: passwords alone, then with keys',
  async () => {
    const losses = await tryOut('host, passwords', await subjectOf(hosts, { machine }), Math.ceil(RUNS / 2))
    const withKeys = await subjectOf(hosts, { machine, hasKey: true })
    expect([...losses, ...(await tryOut('host, with keys', withKeys, Math.floor(RUNS / 2)))]).toEqual([])
  },
  LIMIT_MS,
)

test.each(['mariadb', 'postgresql'] as const)(
  '%s',
  async (type) => {
    expect(await tryOut(type, await databaseSubject(databases, type, disks[type]), RUNS)).toEqual([])
  },
  LIMIT_MS,
)

/** Answers what was lost, and prints what happened. */
async function tryOut(name: string, subject: Subject, runs: number): Promise<string[]> {
  const { outcome, sent } = await cleanRun(subject)
  expect(outcome).toMatchObject({ state: 'succeeded' })
  const losses: string[] = []
  const counts: Record<string, Record<string, number>> = {}
  const begun = Date.now()
  for (const [turn, fault] of faults(runs, sent).entries()) {
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
  }
  const total = Object.values(counts).reduce((sum, { runs: some = 0 }) => sum + some, 0)
  console.log(`${name}: ${total} runs, ${losses.length} lost, ${Math.round((Date.now() - begun) / 1000)} s`)
  console.table(counts)
  return losses
}

/** Half of them at steps, of every kind; the others are cuts, spread over all that is sent. */
function faults(runs: number, sent: readonly number[]): Fault[] {
  const atSteps = (['kill', 'crash', 'full disk', 'by hand'] as const).map(faultsOf)
  const each = Math.ceil(runs / 2 / atSteps.length)
  const steps = atSteps.flatMap((kind) =>
    Array.from(
      { length: each },
      (_, turn) => (each < kind.length ? spread(kind, each)[turn] : kind[turn % kind.length]) as Fault,
    ),
  )
  const cuts = spread(cutsOf(sent, Math.ceil(runs / 2 / sent.length)), runs - steps.length)
  return mixed([steps, cuts])
}

/** Takes from each in turn, at the same pace, so that different faults follow one another. */
const mixed = <T>(lists: readonly T[][]): T[] =>
  lists
    .flatMap((list) => list.map((one, at) => ({ one, place: ((at * 7919) % list.length) / list.length })))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one)
