import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { readMoment, recordingStore } from '../../domains/terminal/recording/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { packedFiles, packRecording } from '../recording/packing.ts'
import { median, quantile, timed } from './figures.ts'
import type { Pace } from './pace.ts'
import type { Scratch } from './scratch.ts'

const QUESTIONS = 40
const BETWEEN_MS = 20
const COMMITS = 10
const SMALL_FILES = 5
const SMALL_BYTES = 64
const LARGE_BYTES = 4_000_000
const SEEKS = 5

/** @param commit stores a row of the measurement itself, on the database's disk */
export async function measureDatabase({ pool }: Pick<Kernel, 'pool'>, pace: Pace, commit: () => Promise<void>) {
  const questions: number[] = []
  for (let n = 0; n < QUESTIONS; n++) {
    questions.push((await timed(() => pool.query('SELECT 1'))).milliseconds)
    await pace.rest(BETWEEN_MS)
  }
  const commits: number[] = []
  for (let n = 0; n < COMMITS; n++) {
    commits.push((await timed(commit)).milliseconds)
    await pace.rest(BETWEEN_MS)
  }
  return {
    database: median(questions),
    database_p95: quantile(questions, 0.95),
    database_commit: median(commits),
  }
}

/** Files under names of this node, which are removed whatever happens. */
export async function measureStore({ config }: Pick<Kernel, 'config'>, scratch: Scratch, pace: Pace) {
  const store = recordingStore(config)
  const name = scratch.stored('probe')
  const [small, large] = [randomBytes(SMALL_BYTES), randomBytes(LARGE_BYTES)]
  const read = async () => {
    const found = await buffer(store.open(name))
    if (!found.length) throw new Error('the store has lost a file')
  }
  try {
    const rounds: number[] = []
    for (let n = 0; n < SMALL_FILES; n++) {
      const { milliseconds } = await pace.turn(() =>
        timed(async () => {
          await store.put(name, small)
          await read()
          await store.remove(name)
        }),
      )
      rounds.push(milliseconds)
    }
    const written = await pace.turn(() => timed(() => store.put(name, large)))
    const back = await pace.turn(() => timed(read))
    const rate = (milliseconds: number) => LARGE_BYTES / 1e6 / (milliseconds / 1000)
    return { store: median(rounds), store_write: rate(written.milliseconds), store_read: rate(back.milliseconds) }
  } finally {
    await store.remove(name).catch(() => {})
  }
}

/** Packs the recording at `path`, brings it into the store, and reads moments of it from there. */
export async function measureReplay({ config }: Pick<Kernel, 'config'>, scratch: Scratch, path: string, pace: Pace) {
  const store = recordingStore(config)
  const files = packedFiles(path)
  const names = files.map((file) => scratch.stored(basename(file)))
  try {
    const { size } = await stat(path)
    const packed = await pace.turn(() => timed(() => packRecording(path)))
    for (const [at, file] of files.entries()) await pace.turn(() => store.take(names[at] ?? '', file))
    const seeks: number[] = []
    for (let n = 0; n < SEEKS; n++) {
      const part = (n + 1) / (SEEKS + 1)
      const { milliseconds } = await pace.turn(() => timed(() => readMoment({ store, name: names[0] ?? '' }, part)))
      seeks.push(milliseconds)
    }
    return { replay_write: size / 1e6 / (packed.milliseconds / 1000), replay_seek: median(seeks) }
  } finally {
    for (const name of names) await store.remove(name).catch(() => {})
  }
}
