import type { ShareWanted } from '@sallyport/contract/socket/room.ts'
import { TERMINAL } from '@sallyport/contract/socket/terminal.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import type { Screen } from '../screen/screen.ts'
import type { EndedBy, StartedSession } from '../screen/session-line.ts'
import type { SocketTarget } from '../screen/socket.ts'
import type { TabState } from '../tabs/tabs.ts'
import { notice } from './notice.ts'
import { type LineEvents, type LineOf, openOwnLine } from './own-line.ts'
import { EMPTY_ROOM, roomHandlers, type ShareRequest } from './room.ts'
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
  /** What a new session begins with, as if the person had typed it. */
  firstLine?: string | undefined
  onState: (state: TabState, attempt: number) => void
  /** Which session it is; undefined when it is over. */
  onSession?: (sessionId: string | undefined, attempt: number) => void
  /** What a connection token opens is a desktop: nothing has been opened yet. */
  onDesktop?: (() => void) | undefined
  /** Whose session it is, and on what. */
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
  const sessionId = useRef<string>(undefined)
  const [room, setRoom] = useState(EMPTY_ROOM)
  const [away, setAway] = useState<'lost' | 'refused'>()
  /** What was asked for and not answered: a line that breaks loses the question, or the answer. */
  const unanswered = useRef<ShareWanted>(undefined)
  /** It opens as a desktop: this line ends, and nothing else does. */
  const isElsewhere = useRef(false)
  // Events of a line that lives as long as the session must see the options of today.
  const latest = useRef(options)
  latest.current = options
  const tell = (text: string) => screen.current?.write(notice(text))

  const ofRoom = roomHandlers(setRoom)
  const events: LineEvents<typeof TERMINAL> = {
    size: () => screen.current?.size() ?? { cols: 80, rows: 24 },
    onOutput(output) {
      if (transfer.current.current && typeof output !== 'string') return transfer.current.current.push(output)
      screen.current?.write(output)
    },
    on: {
      ...ofRoom,
      TERMINAL_ACTION(action) {
        if (action === 'ZMODEM_START') transfer.begin((bytes) => line.current?.sendOnce(bytes))
        else transfer.end((one) => one.ended())
      },
      DESKTOP_VIEW() {
        isElsewhere.current = true
        latest.current.onDesktop?.()
      },
      TERMINAL_SHARE(made) {
        unanswered.current = undefined
        ofRoom.TERMINAL_SHARE(made)
      },
    },
    onSession(session) {
      sessionId.current = session.id
      latest.current.onStarted?.(session)
      latest.current.onState('connected', attempt)
      latest.current.onSession?.(session.id, attempt)
    },
    onLost() {
      transfer.end((one) => one.lost())
      setAway('lost')
    },
    onBack() {
      setAway(undefined)
      if (unanswered.current) line.current?.message('TERMINAL_SHARE', unanswered.current)
    },
    onRefused: () => setAway((now) => now && 'refused'),
    onInputLost: () => tell(t('Some of what you typed when the connection broke did not arrive.')),
    // The gateway has written it on the screen.
    onError: () => {},
    onClosed(by) {
      transfer.end((one) => one.lost())
      setAway(undefined)
      unanswered.current = undefined
      setRoom(EMPTY_ROOM)
      if (isElsewhere.current) return
      tell(LAST_WORDS[by]())
      if (by !== 'moved') latest.current.onSession?.(undefined, attempt)
      latest.current.onState('disconnected', attempt)
    },
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line for a new attempt, and for nothing else
  useEffect(() => {
    if (attempt > 0) screen.current?.reset()
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

  return {
    line,
    room,
    away,
    /** Shares the session with others. */
    share(request: ShareRequest) {
      if (!sessionId.current) return
      unanswered.current = { session_id: sessionId.current, ...request }
      line.current?.message('TERMINAL_SHARE', unanswered.current)
    },
    /** The code of the last share was seen. */
    forgetShare() {
      unanswered.current = undefined
      setRoom((now) => ({ ...now, share: undefined }))
    },
    removeParticipant: (id: string) => line.current?.message('TERMINAL_SHARE_USER_REMOVE', { id }),
  }
}
