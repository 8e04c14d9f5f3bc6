import { useCallback, useEffect, useRef, useState } from 'react'
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { type CommandRow, isDangerous, loadCommands, type SessionSpan } from './command-rows.ts'
import { clock } from './recording.ts'

const PAGE_SIZE = 30
const NEAR_END_PX = 60

export interface CommandListProps extends SessionSpan {
  /** Second 0 of the recording, in Unix seconds. */
  start: number
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
        const page = await loadCommands({ sessionId, dateStart, dateEnd }, PAGE_SIZE, offset)
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
      {commands.map((row) => (
        <button
          key={row.id}
          type="button"
          className={isDangerous(row) ? 'wt-command wt-command-danger' : 'wt-command'}
          title={row.input}
          onClick={() => onSeek(row.timestamp - start)}
        >
          <time>{clock(row.timestamp - start)}</time>
          <code>{row.input}</code>
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
