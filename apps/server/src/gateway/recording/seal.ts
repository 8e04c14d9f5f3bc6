import { createReadStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { relative } from 'node:path'
import {
  isDamaged,
  markReplay,
  type RecordingStore,
  recordingStore,
  replayFolder,
  sealedReplay,
  unpacked,
  withRecordingLock,
} from '../../domains/terminal/recording/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Slots } from '../../kernel/slots.ts'
import { withRetries } from '../../kernel/with-retries.ts'
import { manifestName, segmentsOf } from './manifest.ts'
import { isPacked, packedFiles, packRecording } from './packing.ts'

type SealKernel = Pick<Kernel, 'app' | 'db' | 'pool' | 'config' | 'secrets'>

/** Each holds a database connection until the store has the recording. */
const SEALED_AT_ONCE = 4
const sealing = new Slots(SEALED_AT_ONCE)
/** So long nobody who ends asks a store that has failed, unless it is back before that. */
const AWAY_MS = 60_000
/** When each store failed last, unless it has worked since. */
const failures = new WeakMap<RecordingStore, number>()

/** Whether this node's store has just failed. */
export function isStoreAway({ config }: Pick<Kernel, 'config'>): boolean {
  const failed = failures.get(recordingStore(config))
  return failed !== undefined && performance.now() - failed < AWAY_MS
}

/**
 * Seals the recording of a session that ends, which stays in memory until then. So while the store is known to be
 * away nothing is tried: the plain file waits on the disk. Throws then, and what `sealRecording` throws.
 */
export async function sealAtEnd(kernel: SealKernel, sessionId: string, path: string): Promise<void> {
  if (isStoreAway(kernel)) throw new Error('the store of recordings is away')
  await withRetries(() => sealRecording(kernel, sessionId, path))
}

/**
 * Packs the recording of a session that has ended, moves it into the store and records that in the
 * session's row. Then the uploaded segments are removed, and the plain file last, so that it can be
 * repeated after a crash or a failure of the store at any point. Throws what the disk, the store or
 * the database throws; the plain file is still there then.
 */
export async function sealRecording(kernel: SealKernel, sessionId: string, path: string): Promise<void> {
  const store = recordingStore(kernel.config)
  const recording = relative(replayFolder(kernel.config), path)
  if (!(await isPacked(path))) await packRecording(path)
  if (store.ofThisNode) await markReplay(kernel, sessionId)
  else {
    try {
      await sealing.use(() =>
        withRecordingLock(kernel.pool, sessionId, () => keepLonger(kernel, sessionId, path, recording)),
      )
      await removeSegments(store, recording)
      failures.delete(store)
    } catch (error) {
      failures.set(store, performance.now())
      throw error
    }
  }
  await rm(path, { force: true })
}

/** Removes what was uploaded during the session; the manifest last, as it leads to the rest. */
export async function removeSegments(store: RecordingStore, recording: string): Promise<void> {
  for await (const { name } of store.list(segmentsOf(recording))) await store.remove(name)
  await store.remove(manifestName(recording))
}

/**
 * Keeps a recording. If another node has rebuilt and sealed one already, it is replaced only by a
 * longer one that begins the same.
 */
async function keepLonger(kernel: SealKernel, sessionId: string, path: string, recording: string): Promise<void> {
  const name = `${recording}.gz`
  const sealed = await sealedReplay(kernel, sessionId)
  if (!sealed) return markReplay(kernel, sessionId)
  const outcome = sealed.name === name ? await compare(sealed.store, name, path) : 'another'
  if (outcome === 'longer') return markReplay(kernel, sessionId, { replaces: true })
  for (const one of packedFiles(path)) await rm(one, { force: true })
  if (outcome === 'no longer') return
  await rename(path, `${path}.other`)
  kernel.app.log.error({ session: sessionId }, 'the store has another recording of this session, ours is set aside')
}

/**
 * Compares the recording at `path` with the one in the store: `longer` if it begins with all of that,
 * `no longer` if it is the beginning or the whole of it, else `another`.
 */
async function compare(store: RecordingStore, name: string, path: string): Promise<'longer' | 'no longer' | 'another'> {
  const source = createReadStream(path)
  // The reader gets the error; a file that is gone before anybody reads must not end the process.
  source.on('error', () => {})
  const ours = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of unpacked(store.open(name))) {
      let theirs = chunk as Buffer
      while (theirs.length) {
        if (!rest.length) rest = (await ours.next()).value ?? rest
        const length = Math.min(rest.length, theirs.length)
        if (length === 0) return 'no longer'
        if (rest.compare(theirs, 0, length, 0, length) !== 0) return 'another'
        rest = rest.subarray(length)
        theirs = theirs.subarray(length)
      }
    }
    return rest.length || (await ours.next()).value ? 'longer' : 'no longer'
  } catch (error) {
    // The stored one is damaged: useless as evidence, but not ours to replace.
    if (isDamaged(error)) return 'another'
    throw error
  } finally {
    source.destroy()
  }
}
