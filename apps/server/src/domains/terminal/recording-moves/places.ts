import { eq } from 'drizzle-orm'
import { refused } from '../../../kernel/errors/app-error.ts'
import { inTime } from '../../../kernel/in-time.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { recordingStore } from '../recording/replay-file.ts'
import { type StorageKernel, type StoredStorage, storeOf } from '../recording/storages/outside-stores.ts'
import type { RecordingStore } from '../recording/store/recording-store.ts'
import { terminalReplayStorage } from '../tables.ts'
import { type MovedSession, NotMoved } from './copy-recording.ts'

const ANSWER_MS = 20_000

/** A storage that recordings can be in. */
export interface Place {
  /** As sessions name it: the server's own is null. */
  pointer: string | null
  name: string
  store: RecordingStore
}

/** Undefined for a storage that keeps nothing, and for one that is no more. */
export async function placeOf(kernel: StorageKernel, storage: string): Promise<Place | undefined> {
  const [row] = await kernel.db.select().from(terminalReplayStorage).where(eq(terminalReplayStorage.id, storage))
  return row && placeOfRow(kernel, row)
}

function placeOfRow(kernel: StorageKernel, row: StoredStorage): Place | undefined {
  if (row.type === 'null') return undefined
  if (row.type === 'server') return { pointer: null, name: row.name, store: recordingStore(kernel.config) }
  const store = storeOf(kernel, row)
  return store && { pointer: row.id, name: row.name, store }
}

/** Throws NotMoved where the server's own files are on the disk of another node, or would be looked for there. */
export async function requireOwnDisk({ nodes }: Pick<Kernel, 'nodes'>, place: Place, session: MovedSession) {
  if (place.pointer !== null || !place.store.ofThisNode || !session.terminal) return
  const [node] = await nodes.ofTerminals([session.terminal])
  if (node && node.id !== nodes.id) throw new NotMoved('other_node')
}

/**
 * Refuses two storages that lead to the same files, as two rows for one bucket do: what is copied there
 * would be deleted with its source. A file that is written to one is looked for in the other.
 */
export async function requireTwoPlaces({ app }: Pick<Kernel, 'app'>, source: Place, target: Place): Promise<void> {
  const name = `probe-${crypto.randomUUID()}`
  const isOne = async () => {
    await target.store.put(name, Buffer.from('Sallyport looks whether two storages are one'))
    try {
      return (await source.store.find(name)) !== undefined
    } finally {
      await target.store.remove(name)
    }
  }
  const found = await inTime(isOne(), ANSWER_MS, () => new Error('no answer')).catch((error) => {
    app.log.warn({ err: error }, 'recordings cannot be moved between these storages')
    throw refused('storage_invalid', 'One of the storages cannot be used now: test both first')
  })
  if (found) throw refused('same_place', 'Both storages lead to the same place')
}
