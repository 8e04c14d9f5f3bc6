/**
 * A recording that the server hands out by the piece, so that one of any length opens and seeks at
 * once.
 */
import type { ReplayIndex, ReplayIndexPending, ReplayIntegrity, ReplaySearch } from '@sallyport/contract/replay.ts'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { kept } from './kept.ts'
import { type Recording, readEvents } from './recording.ts'
import { fetchRecording, pause } from './replay-answer.ts'

const POLL_MS = 1000
/** Half a megabyte each at most, by design of the packing. */
const KEPT_PIECES = 8

const addressOf = (sessionId: string) => `/api/v1/terminal/sessions/${encodeURIComponent(sessionId)}/replay/`

/**
 * Opens a recording by its index; asks again while the index is being made. Undefined when it can
 * only be read as a whole.
 * @throws ApiError
 */
export async function openIndexed(sessionId: string, signal: AbortSignal): Promise<Recording | undefined> {
  const address = addressOf(sessionId)
  for (;;) {
    const answer = await api.get<ReplayIndex | ReplayIndexPending>(`${address}index/`, { quiet: true, signal })
    if (!('status' in answer)) return recordingOf(address, answer, signal)
    if (answer.status === 'unavailable') return undefined
    await pause(POLL_MS, signal)
  }
}

function recordingOf(address: string, index: ReplayIndex, signal: AbortSignal): Recording {
  const { start, duration, parts, marks, origin } = index
  const text = (n: number) => fetchRecording(`${address}part/${n}/`, signal)
  const read = async (n: number) => readEvents(await text(n), parts[n]?.time)
  return {
    start: start ?? undefined,
    duration,
    parts,
    piece: kept(read, KEPT_PIECES),
    glance: read,
    ...(marks ? { marks } : {}),
    ...(origin === undefined ? {} : { guacamole: { origin, parts, text: kept(text, KEPT_PIECES) } }),
    screen: kept((n) => fetchRecording(`${address}screen/${n}/`, signal), KEPT_PIECES),
  }
}

/**
 * The fault of the file behind a recording, in words; undefined when it is as recorded.
 */
export async function findFault(sessionId: string, signal: AbortSignal): Promise<string | undefined> {
  const { intact } = await api.get<ReplayIntegrity>(`${addressOf(sessionId)}integrity/`, { quiet: true, signal })
  return intact ? undefined : t('The recording is incomplete or was altered.')
}

/** Where a text stood on the screen. @throws ApiError */
export function searchRecording(sessionId: string, wanted: string, signal: AbortSignal): Promise<ReplaySearch> {
  return api.get<ReplaySearch>(`${addressOf(sessionId)}search/`, { quiet: true, signal, query: { q: wanted } })
}
