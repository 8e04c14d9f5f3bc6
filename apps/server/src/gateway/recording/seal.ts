import { createReadStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { relative } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import {
  markReplay,
  type RecordingStore,
  recordingStore,
  replayFolder,
  sealedReplay,
  withRecordingLock,
} from '../../domains/terminal/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Slots } from '../../kernel/slots.ts'
import { manifestName, segmentsOf } from './manifest.ts'
import { isPacked, packedFiles, packRecording } from './packing.ts'
import { withRetries } from './retry.ts'

type SealKernel = Pick<Kernel, 'app' | 'db' | 'pool' | 'config'>

/** Each holds a connection to the database until the store has taken the recording. */
const SEALED_AT_ONCE = 4
const sealing = new Slots(SEALED_AT_ONCE)

/**
 * Packs the recording of a session that has ended, gives it to the store and says so in the
 * session's row. The plain file goes last, and before it what had been sent of it meanwhile: done
 * again after a crash anywhere in between, or after the store was away, it ends the same. Throws
 * what the disk, the store or the database throws; the plain file is still there then.
 */
export async function sealRecording(kernel: SealKernel, sessionId: string, path: string): Promise<void> {
  const store = recordingStore(kernel.config)
  const recording = relative(replayFolder(kernel.config), path)
  if (store.ofThisNode) {
    if (!(await isPacked(path))) await packRecording(path)
    await withRetries(() => markReplay(kernel, sessionId))
  } else {
    await withRetries(async () => {
      if (!(await isPacked(path))) await packRecording(path)
      await sealing.use(() =>
        withRecordingLock(kernel.pool, sessionId, () => keepLonger(kernel, sessionId, path, recording)),
      )
    })
    await removeSegments(store, recording)
  }
  await rm(path, { force: true })
}

/** What left the node while the session ran. The manifest last: it names what is left. */
export async function removeSegments(store: RecordingStore, recording: string): Promise<void> {
  for await (const { name } of store.list(segmentsOf(recording))) await store.remove(name)
  await store.remove(manifestName(recording))
}

/**
 * A recording that is sealed already, because another node has rebuilt it, is replaced by one that
 * begins the same and is longer; by nothing else.
 */
async function keepLonger(kernel: SealKernel, sessionId: string, path: string, recording: string): Promise<void> {
  const store = recordingStore(kernel.config)
  const name = `${recording}.gz`
  const sealed = await sealedReplay(kernel, sessionId)
  if (!sealed) return markReplay(kernel, sessionId)
  const outcome = sealed.name === name ? await compare(store, name, path) : 'another'
  if (outcome === 'longer') return markReplay(kernel, sessionId)
  for (const one of packedFiles(path)) await rm(one, { force: true })
  if (outcome === 'no longer') return
  await rename(path, `${path}.other`)
  kernel.app.log.error({ session: sessionId }, 'the store has another recording of this session, ours is set aside')
}

/**
 * What the recording at `path` is to the one that the store has under `name`: the same and longer,
 * its beginning or just it, or another.
 */
async function compare(store: RecordingStore, name: string, path: string): Promise<'longer' | 'no longer' | 'another'> {
  const source = createReadStream(path)
  const ours = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of pipeline(store.open(name), createGunzip(), () => {})) {
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
    // What the store has is damaged: evidence of nothing, but not ours to replace either.
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) return 'another'
    throw error
  } finally {
    source.destroy()
  }
}
