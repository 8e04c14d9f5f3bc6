import { createHash } from 'node:crypto'
import { open, rename, stat } from 'node:fs/promises'
import { buffer, text } from 'node:stream/consumers'
import { carriedSessions, findSession, finishSession } from '../../domains/terminal/index.ts'
import { ifNobodyRebuilds, type RecordingStore, recordingStore } from '../../domains/terminal/recording/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { recoverRecording } from './crash-recovery.ts'
import { MANIFESTS, type Manifest, parseManifest, sessionOfManifest } from './manifest.ts'
import { REBUILDING } from './packing.ts'
import { removeSegments } from './seal.ts'

type RebuildKernel = Pick<Kernel, 'app' | 'db' | 'pool' | 'config' | 'secrets'>

/** Sessions per query. */
const BATCH = 500

/**
 * Rebuilds recordings that lost nodes left in the store: fetches their intact segments and seals them
 * as if this node had recorded them. When several nodes try at the same time, one does it. Answers
 * how many were rebuilt.
 */
export async function rebuildLost(
  kernel: RebuildKernel,
  isLiving: (sessionId: string) => boolean = () => false,
): Promise<number> {
  const store = recordingStore(kernel.config)
  if (store.ofThisNode) return 0
  let rebuilt = 0
  for await (const names of batches(store)) {
    const ids = names.flatMap((name) => sessionOfManifest(name) ?? [])
    const carried = new Set(await carriedSessions(kernel.db, ids))
    for (const name of names) {
      const id = sessionOfManifest(name)
      if (!id || carried.has(id) || isLiving(id)) continue
      try {
        await ifNobodyRebuilds(kernel.pool, id, async () => {
          if (await rebuild(kernel, store, name, id)) rebuilt++
        })
      } catch (error) {
        kernel.app.log.error({ err: error, session: id }, 'recording of a lost node could not be rebuilt')
      }
    }
  }
  return rebuilt
}

async function* batches(store: RecordingStore): AsyncGenerator<string[]> {
  let names: string[] = []
  for await (const { name } of store.list(MANIFESTS)) {
    names.push(name)
    if (names.length < BATCH) continue
    yield names
    names = []
  }
  if (names.length) yield names
}

async function rebuild(kernel: RebuildKernel, store: RecordingStore, name: string, id: string): Promise<boolean> {
  // Another node was quicker.
  if (!(await store.find(name))) return false
  const manifest = parseManifest(name, await text(store.open(name)))
  if (!manifest) throw new Error(`${name} is no manifest`)
  // Without a row, as after a database was restored to an earlier day: keep it, somebody may need it.
  if (!(await findSession(kernel.db, id))) return false
  const path = await store.draft(manifest.recording)
  // Recorded on this node, which recovers it from its own, complete file.
  if (await stat(path).catch(() => undefined)) return false
  const bytes = await fetchSegments(kernel, store, manifest, `${path}${REBUILDING}`)
  if (bytes === 0) {
    await finishSession(kernel.db, id)
    const isKept = (await store.find(`${manifest.recording}.gz`)) !== undefined
    // If it was altered from its beginning, the segments stay for people to examine.
    if (isKept || !manifest.segments.length) await removeSegments(store, manifest.recording)
    return false
  }
  await rename(`${path}${REBUILDING}`, path)
  return recoverRecording(kernel, path, id)
}

/** Writes the segments in order, up to the first that is missing or altered; answers the length. */
async function fetchSegments(
  kernel: RebuildKernel,
  store: RecordingStore,
  manifest: Manifest,
  path: string,
): Promise<number> {
  const file = await open(path, 'w', 0o600)
  let length = 0
  try {
    for (const segment of manifest.segments) {
      const bytes = await buffer(store.open(segment.name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return Buffer.alloc(0)
        throw error
      })
      const isRight = segment.from === length && createHash('sha256').update(bytes).digest('hex') === segment.sha256
      if (!isRight) {
        kernel.app.log.error(
          { segment: segment.name },
          'a recording is rebuilt only up to here: the segment is missing or altered',
        )
        break
      }
      await file.writeFile(bytes)
      length += bytes.length
    }
  } finally {
    await file.close()
  }
  return length
}
