import { useCallback, useEffect, useRef, useState } from 'react'
import { api, errorText, type ListPage } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { clock } from './recording.ts'

const PAGE_SIZE = 30
const NEAR_END_PX = 60
const DANGEROUS = 5
const MINUTE_MS = 60_000

export interface CommandRow {
  id: string
  input: string
  risk_level: number
  /** Unix seconds. */
  timestamp: number
}

export interface CommandListProps {
  sessionId: string
  /** Second 0 of the recording, in Unix seconds. */
  start: number
  dateStart: string
  dateEnd: string | null
  /** Gets the second of the session at which the command was given. */
  onSeek: (offset: number) => void
}

/** The session's commands, 30 at a time and more on scroll; a click jumps there. */
export function CommandList({ sessionId, start, dateStart, dateEnd, onSeek }: CommandListProps) {
  const [commands, setCommands] = useState<readonly CommandRow[]>([])
  const [more, setMore] = useState(true)
  const [error, setError] = useState<string>()
  const loading = useRef(false)

  const load = useCallback(
    async (offset: number): Promise<void> => {
      if (loading.current) return
      loading.current = true
      try {
        const page = await api.get<ListPage<CommandRow>>('/api/v1/terminal/commands/', {
          quiet: true,
          query: {
            session_id: sessionId,
            order: 'timestamp',
            limit: PAGE_SIZE,
            offset,
            // Without a range only the last days are searched, and sessions are watched much later.
            date_from: new Date(Date.parse(dateStart) - MINUTE_MS).toISOString(),
            date_to: new Date((dateEnd ? Date.parse(dateEnd) : Date.now()) + MINUTE_MS).toISOString(),
          },
        })
        setCommands((known) => [...known.slice(0, offset), ...page.results])
        setMore(page.next !== null)
      } catch (failure) {
        setError(errorText(failure))
        setMore(false)
      } finally {
        loading.current = false
      }
    },
    [sessionId, dateStart, dateEnd],
  )
  useEffect(() => {
    void load(0)
  }, [load])

  return (
    <nav
      className="wt-commands"
      aria-label={t('Commands')}
      onScroll={({ currentTarget: box }) => {
        if (more && box.scrollTop + box.clientHeight > box.scrollHeight - NEAR_END_PX) void load(commands.length)
      }}
    >
      <p className="wt-hint">{t('Click a command to jump to it')}</p>
      {error && <p role="alert">{error}</p>}
      {!error && !more && commands.length === 0 && <p className="wt-empty">{t('No commands')}</p>}
      {commands.map(({ id, input, timestamp, risk_level }) => (
        <button
          key={id}
          type="button"
          className={risk_level >= DANGEROUS ? 'wt-command wt-command-danger' : 'wt-command'}
          title={input}
          onClick={() => onSeek(timestamp - start)}
        >
          <time>{clock(timestamp - start)}</time>
          <code>{input}</code>
        </button>
      ))}
      {more && commands.length > 0 && (
        <button type="button" className="wt-command wt-more" onClick={() => void load(commands.length)}>
          {t('More')}
        </button>
      )}
    </nav>
  )
}
