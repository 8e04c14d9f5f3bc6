import { api, type ListPage } from '../../lib/api.ts'
import type { Marker } from './markers.ts'

const MINUTE_MS = 60_000
const DANGEROUS = 5
/** More commands than this are no marks but a carpet. */
const MAX_MARKERS = 1000

export interface CommandRow {
  id: string
  input: string
  risk_level: number
  /** Unix seconds. */
  timestamp: number
}

/** A session and when it was; ISO 8601. */
export interface SessionSpan {
  sessionId: string
  dateStart: string
  dateEnd: string | null
}

export const isDangerous = ({ risk_level }: CommandRow): boolean => risk_level >= DANGEROUS

/** Commands of a session in the order they were given. @throws ApiError */
export function loadCommands(
  { sessionId, dateStart, dateEnd }: SessionSpan,
  limit: number,
  offset: number,
): Promise<ListPage<CommandRow>> {
  return api.get('/api/v1/terminal/commands/', {
    quiet: true,
    query: {
      session_id: sessionId,
      order: 'timestamp',
      limit,
      offset,
      // Without a range only the last days are searched, and sessions are watched much later.
      date_from: new Date(Date.parse(dateStart) - MINUTE_MS).toISOString(),
      date_to: new Date((dateEnd ? Date.parse(dateEnd) : Date.now()) + MINUTE_MS).toISOString(),
    },
  })
}

/**
 * The commands as places on the time line; `start` is second 0 in Unix seconds. @throws ApiError
 */
export async function loadMarkers(span: SessionSpan, start: number): Promise<Marker[]> {
  const { results } = await loadCommands(span, MAX_MARKERS, 0)
  return results.map((row) => ({
    time: Math.max(0, row.timestamp - start),
    label: row.input,
    isDangerous: isDangerous(row),
  }))
}
