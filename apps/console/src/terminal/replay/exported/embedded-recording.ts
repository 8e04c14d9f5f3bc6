/**
 * A recording that lies in the page itself, packed as it is stored: pieces are unpacked when they
 * are played.
 */
import type { ReplayPart } from '@sallyport/contract/replay.ts'
import { t } from '../../../lib/i18n.ts'
import { kept } from '../kept.ts'
import { type Recording, readEvents } from '../recording.ts'

/** Where each piece and its screen are in the packed bytes. */
export interface EmbeddedIndex {
  start: number | null
  duration: number
  parts: readonly (ReplayPart & { at: number; length: number; screenAt: number; screenLength: number })[]
}

/** An empty last block: a piece ends at a flush and not at an end of its data. */
const LAST_BLOCK = new Uint8Array([3, 0])
const KEPT_PIECES = 8

/** @throws Error when the texts are no base64 */
export function embeddedRecording(
  { start, duration, parts }: EmbeddedIndex,
  recording: string,
  screens: string,
): Recording {
  const [packed, packedScreens] = [bytesOf(recording), bytesOf(screens)]
  const part = (n: number) => parts[n] as EmbeddedIndex['parts'][number]
  return {
    start: start ?? undefined,
    duration,
    parts,
    piece: kept(async (n) => {
      const { at, length, time } = part(n)
      return readEvents(await unpack([packed.subarray(at, at + length), LAST_BLOCK], 'deflate-raw'), time)
    }, KEPT_PIECES),
    screen: kept((n) => {
      const { screenAt, screenLength } = part(n)
      return unpack([packedScreens.subarray(screenAt, screenAt + screenLength)], 'gzip')
    }, KEPT_PIECES),
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64.trim())
  const bytes = new Uint8Array(letters.length)
  for (let n = 0; n < letters.length; n++) bytes[n] = letters.charCodeAt(n)
  return bytes
}

async function unpack(pieces: readonly Uint8Array<ArrayBuffer>[], format: CompressionFormat): Promise<string> {
  try {
    return await new Response(new Blob([...pieces]).stream().pipeThrough(new DecompressionStream(format))).text()
  } catch {
    throw new Error(t('The recording is incomplete or was altered.'))
  }
}
