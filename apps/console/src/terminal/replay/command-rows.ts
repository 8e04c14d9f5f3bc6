import { api, type ListPage } from '../../lib/api.ts'
import { type FileRow, fileMarker, type Marker } from './markers.ts'

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

/** The files that went through a session's terminal, as places on the time line. @throws ApiError */
export async function loadFileMarkers(sessionId: string, start: number): Promise<Marker[]> {
  const { results } = await api.get<ListPage<FileRow & { date_start: string }>>('/api/v1/audits/ftp-logs/', {
    quiet: true,
    query: { session_id: sessionId, order: 'date_start', limit: MAX_MARKERS, offset: 0 },
  })
  return results
    .filter(({ operate }) => operate === 'Upload' || operate === 'Download')
    .map((row) => fileMarker(row, Math.max(0, Date.parse(row.date_start) / 1000 - start)))
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
