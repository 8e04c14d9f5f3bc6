import { TERMINAL } from '@sallyport/contract/socket/terminal.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { notice } from '../pane/notice.ts'
import { type LineEvents, type LineOf, openOwnLine } from '../pane/own-line.ts'
import { useSharing } from '../pane/use-sharing.ts'
import type { Screen } from '../screen/screen.ts'
import type { EndedBy, StartedSession } from '../screen/session-line.ts'
import type { SocketTarget } from '../screen/socket.ts'
import type { TabState } from '../tabs/tabs.ts'
import type { RunningTransfer } from './use-file-transfer.ts'

const LAST_WORDS: Readonly<Record<EndedBy, () => string>> = {
  moved: () => t('You work on in another window. Press Enter to take the session back.'),
  ended: () => t('The session has ended. Press Enter to connect again.'),
  lost: () => t('The connection was lost. Press Enter to connect again.'),
  unreached: () => `${t('Node is unavailable, please contact administrator')}\n${t('Press Enter to connect again.')}`,
}

export interface PaneSessionOptions {
  target: SocketTarget
  /** A new number is a new session on the same screen. */
  attempt: number
  /** The session that this attempt goes on with. */
  resume?: string | undefined
  /** First input of a new session, as if the person had typed it. */
  firstLine?: string | undefined
  onState: (state: TabState, attempt: number) => void
  /** Which session it is; undefined when it is over. */
  onSession?: (sessionId: string | undefined, attempt: number) => void
  /** The connection token opens a desktop: nothing has been opened yet. */
  onDesktop?: (() => void) | undefined
  /** Owner and target of the session. */
  onStarted?: (session: StartedSession) => void
}

/** The session of a pane: its line, who else is in it, and whether the line is broken just now. */
export function usePaneSession(
  options: PaneSessionOptions,
  screen: RefObject<Screen | null>,
  transfer: RunningTransfer,
) {
  const { attempt } = options
  const line = useRef<LineOf<typeof TERMINAL>>(undefined)
  const sharing = useSharing({
    share: (wanted) => line.current?.message('TERMINAL_SHARE', wanted),
    remove: (id) => line.current?.message('TERMINAL_SHARE_USER_REMOVE', { id }),
  })
  const [away, setAway] = useState<'lost' | 'refused'>()
  /** The gateway has said why there is no session. */
  const [isRefused, setRefused] = useState(false)
  /** The token opens a desktop: this connection ends, the session does not. */
  const isElsewhere = useRef(false)
  // Events of a connection that lives as long as the session must see the latest options.
  const latest = useRef(options)
  latest.current = options
  const write = (text: string) => screen.current?.write(notice(text))

  const events: LineEvents<typeof TERMINAL> = {
    size: () => screen.current?.size() ?? { cols: 80, rows: 24 },
    onOutput(output) {
      if (transfer.current.current && typeof output !== 'string') return transfer.current.current.push(output)
      screen.current?.write(output)
    },
    on: {
      ...sharing.handlers,
      TERMINAL_ACTION(action) {
        if (action === 'ZMODEM_START') transfer.begin((bytes) => line.current?.sendOnce(bytes))
        else transfer.end((one) => one.ended())
      },
      TERMINAL_READY: () => latest.current.onState('connected', attempt),
      DESKTOP_VIEW() {
        isElsewhere.current = true
        latest.current.onDesktop?.()
      },
    },
    onSession(session) {
      sharing.sessionId.current = session.id
      latest.current.onStarted?.(session)
      // A session that goes on has its machine already.
      if (session.isResumed) latest.current.onState('connected', attempt)
      latest.current.onSession?.(session.id, attempt)
    },
    onLost() {
      transfer.end((one) => one.lost())
      setAway('lost')
    },
    onBack() {
      setAway(undefined)
      sharing.resume()
    },
    onRefused: () => setAway((now) => now && 'refused'),
    onInputLost: () => write(t('Some of what you typed when the connection broke did not arrive.')),
    // The gateway has written it on the screen.
    onError: () => setRefused(true),
    onClosed(by) {
      transfer.end((one) => one.lost())
      setAway(undefined)
      sharing.end()
      if (isElsewhere.current) return
      write(LAST_WORDS[by]())
      if (by !== 'moved') latest.current.onSession?.(undefined, attempt)
      latest.current.onState('disconnected', attempt)
    },
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line for a new attempt, and for nothing else
  useEffect(() => {
    if (attempt > 0) screen.current?.reset()
    setRefused(false)
    const opened = openOwnLine(TERMINAL, latest.current, events)
    line.current = opened.line
    const { resume, firstLine } = latest.current
    if (firstLine && !resume) opened.line.send(new TextEncoder().encode(`${firstLine}\r`))
    return () => {
      line.current = undefined
      setAway(undefined)
      transfer.end((one) => one.lost())
      opened.end()
    }
  }, [attempt])

  return { line, away, isRefused, sharing: sharing.tools }
}
