/** Asks for a session's recording until it is there (contract web-terminal, session_replay). */
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

const POLL_MS = 2000

/** The finished answer. Dates are ISO 8601 here. */
export interface ReplayAnswer {
  type: 'json' | 'asciicast' | 'guacamole' | 'statements' | 'desktop'
  src: string
  user: string
  asset: string
  system_user: string
  date_start: string
  date_end: string | null
  download_url: string
}

type Answer = Partial<ReplayAnswer> & { status?: string; error?: string }

/**
 * Asks every two seconds until the answer carries a type. @throws ApiError, or Error with the
 * server's text when the recording cannot be had
 */
export async function waitForReplay(sessionId: string, signal: AbortSignal): Promise<ReplayAnswer> {
  for (;;) {
    const answer = await api.get<Answer>(`/api/v1/terminal/sessions/${encodeURIComponent(sessionId)}/replay/`, {
      quiet: true,
      signal,
    })
    if (answer.type) return answer as ReplayAnswer
    if (answer.error) throw new Error(answer.error)
    await pause(POLL_MS, signal)
  }
}

/** Waits. @throws the signal's reason */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

/** A recording's text, or a piece of it. @throws Error when the server refuses it */
export async function fetchRecording(src: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(src, { credentials: 'same-origin', signal })
  if (response.status === 409) throw new Error(t('The recording is incomplete or was altered.'))
  if (!response.ok) throw new Error(t('The recording cannot be read ({{status}})', { status: response.status }))
  return response.text()
}
