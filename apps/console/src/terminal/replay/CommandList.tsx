import { useCallback, useEffect, useRef, useState } from 'react'
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { type CommandRow, isDangerous, loadCommands, type SessionSpan } from './command-rows.ts'
import type { Marker } from './markers.ts'
import { clock } from './recording.ts'

const PAGE_SIZE = 30
const NEAR_END_PX = 60

export interface CommandListProps extends SessionSpan {
  /** Second 0 of the recording, in Unix seconds. */
  start: number
  /** Files that went through the terminal; those among the markers. */
  markers?: readonly Marker[]
  /** Gets the second of the session at which the command was given. */
  onSeek: (offset: number) => void
}

/** The session's commands and files in time, 30 commands at a time and more on scroll; a click jumps there. */
export function CommandList({ sessionId, start, dateStart, dateEnd, markers = [], onSeek }: CommandListProps) {
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

  const last = (commands.at(-1)?.timestamp ?? 0) - start
  const entries = [
    ...commands.map((command) => ({ time: command.timestamp - start, command, file: undefined })),
    // Later ones follow with the commands around them.
    ...markers
      .filter(({ isFile, time }) => isFile && (!more || time <= last))
      .map((file) => ({ time: file.time, command: undefined, file })),
  ].sort((a, b) => a.time - b.time)

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
      {!error && !more && entries.length === 0 && <p className="wt-empty">{t('No commands')}</p>}
      {entries.map(({ time, command, file }, n) => {
        const isRed = command ? isDangerous(command) : file?.isDangerous
        return (
          <button
            key={command?.id ?? `file ${n}`}
            type="button"
            className={isRed ? 'wt-command wt-command-danger' : 'wt-command'}
            title={command?.input ?? file?.label}
            onClick={() => onSeek(time)}
          >
            <time>{clock(time)}</time>
            {command ? <code>{command.input}</code> : <span>{file?.label}</span>}
          </button>
        )
      })}
      {more && commands.length > 0 && (
        <button type="button" className="wt-command wt-more" onClick={() => void load(commands.length)}>
          {t('More')}
        </button>
      )}
    </nav>
  )
}
