import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The longest files, which go first in their project: else a run may end with one of them, and
 * nothing beside it.
 */
const LONGEST = [
  'apps/console/src/app/many-resources.test.ts',
  'apps/console/src/app/router.test.tsx',
  'apps/console/src/generic/import/ImportDialog.test.tsx',
  'apps/console/src/generic/list/ListPage.test.tsx',
  'apps/server/src/domains/accounts/rotation/rotation.test.ts',
  'apps/server/src/domains/assets/asset.test.ts',
  'apps/server/src/domains/perms/grants.test.ts',
  'apps/server/src/gateway/databases/rotation.test.ts',
  'apps/server/src/gateway/files/files.test.ts',
  'apps/server/src/gateway/kinds/terminal/held-lines-trouble.test.ts',
  'apps/server/src/gateway/kinds/terminal/held-lines.test.ts',
  'apps/server/src/gateway/kinds/terminal/keyed-corpus.test.ts',
  'apps/server/src/gateway/kinds/terminal/zmodem/zmodem.test.ts',
  'apps/server/src/gateway/listeners/database/redis-session.test.ts',
  'apps/server/src/gateway/listeners/database/redis.test.ts',
  'apps/server/src/gateway/listeners/ssh/byte-exact.test.ts',
  'apps/server/src/gateway/revocation.test.ts',
  'apps/server/src/kernel/files/spreadsheet.test.ts',
  'apps/server/src/kernel/jobs/jobs.test.ts',
  'apps/server/test/releases/upgrade.test.ts',
  'apps/server/test/rotate-key.test.ts',
  'apps/server/test/start.test.ts',
  'apps/server/test/walks/access.test.ts',
  'apps/server/test/walks/definitions.test.ts',
  'apps/server/test/walks/foreign-person.test.ts',
  'apps/server/test/walks/import-round-trip.test.ts',
  'e2e/accessibility.spec.ts',
  'e2e/cluster/batch.test.ts',
  'e2e/cluster/faults.test.ts',
  'e2e/language.spec.ts',
  'e2e/newcomer.spec.ts',
  'e2e/reattach.spec.ts',
  'scripts/deploy.test.mjs',
  'scripts/releases.test.mjs',
]

/**
 * Test files in an order that the seed decides, project by project: files of one project share
 * workers, which end where the next file needs another kind. Within each, the longest go first.
 */
export default class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const random = randomFrom(this.ctx.config.sequence.seed)
    // The order of a glob differs from machine to machine: the seed alone decides.
    const sorted = files.toSorted((one, other) => compare(placeOf(one), placeOf(other)))
    const kinds = Map.groupBy(sorted, kindOf)
    return [...kinds.values()].flatMap((of) =>
      shuffled(of, random).toSorted((one, other) => Number(isLong(other)) - Number(isLong(one))),
    )
  }
}

const placeOf = ({ project, moduleId }: TestSpecification) => `${project.name} ${moduleId}`
const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((path) => moduleId.endsWith(`/${path}`))
const compare = (one: string, other: string) => (one < other ? -1 : 1)

/** Its project, and the environment that its first line asks for. */
function kindOf({ project, moduleId }: TestSpecification): string {
  const [, environment = ''] = /^\/\/ @vitest-environment (\S+)/.exec(readFileSync(moduleId, 'utf8')) ?? []
  return `${project.name} ${environment}`
}

function shuffled<T>(items: T[], random: () => number): T[] {
  const left = [...items]
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0] as T)
}

/** Numbers from 0 to 1, the same for the same seed: mulberry32, public domain. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
