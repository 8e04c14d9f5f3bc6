import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Test files in an order that the seed decides, project by project: files of one project share
 * workers, which end where the next file needs another kind.
 */
export default class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const random = randomFrom(this.ctx.config.sequence.seed)
    // What the glob finds first differs from machine to machine: the seed alone decides.
    const sorted = files.toSorted((one, other) => compare(placeOf(one), placeOf(other)))
    const kinds = Map.groupBy(sorted, kindOf)
    return [...kinds.values()].flatMap((of) => shuffled(of, random))
  }
}

const placeOf = ({ project, moduleId }: TestSpecification) => `${project.name} ${moduleId}`
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
