import { buffer } from 'node:stream/consumers'
import { constants, gunzipSync } from 'node:zlib'
import { beginsAsGuacamole } from '@sallyport/contract/guacamole/instructions.ts'
import type { ReplayFile } from './replay-file.ts'

/** Enough of a packed file to know what is in it. */
const HEAD_BYTES = 4096

/**
 * The kind of a recording of an older suffix, by its first bytes: such a file may be a terminal's as
 * JSON or asciicast, or a desktop's. Undefined for anything else, also a damaged one.
 */
export async function olderKind({ store, name }: ReplayFile): Promise<'guacamole' | 'asciicast' | 'json' | undefined> {
  const head = await buffer(store.open(name, { from: 0, bytes: HEAD_BYTES })).catch(() => undefined)
  if (!head) return undefined
  try {
    const text = gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 4 * 1024 * 1024 })
    if (beginsAsGuacamole(text)) return 'guacamole'
    const begin = text.subarray(0, 256).toString().trimStart()
    if (/^\{"-?\d/.test(begin)) return 'json'
    return /^\{[^\n]*"version"\s*:\s*2/.test(begin) ? 'asciicast' : undefined
  } catch {
    return undefined
  }
}
