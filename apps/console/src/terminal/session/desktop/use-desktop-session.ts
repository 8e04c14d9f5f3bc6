import { DESKTOP } from '@sallyport/contract/socket/desktop.ts'
import type { ShareWanted } from '@sallyport/contract/socket/room.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { copyText } from '../../../lib/clipboard.ts'
import { t } from '../../../lib/i18n.ts'
import type { EndedBy, StartedSession } from '../../screen/session-line.ts'
import type { SocketTarget } from '../../screen/socket.ts'
import type { TabState } from '../../tabs/tabs.ts'
import { CLOSED_WORDS } from '../notice.ts'
import { type LineOf, openOwnLine } from '../own-line.ts'
import { EMPTY_ROOM, roomHandlers, type ShareRequest } from '../room.ts'
import type { DesktopScreen } from './desktop-screen.ts'
import { FIRST_STATUS, type Status, statusHandlers } from './desktop-status.ts'
import { useLineDelay } from './use-line-delay.ts'
import { wantedSize } from './wanted-size.ts'

/** The size of a terminal, which the gateway wants of everybody; a desktop has pixels. */
const NO_TERMINAL = { cols: 80, rows: 24 }

const LAST_WORDS: Readonly<Record<EndedBy, () => string>> = {
  ...CLOSED_WORDS,
  moved: () => t('You work on in another window.'),
}

export interface DesktopSessionOptions {
  target: SocketTarget
  /** A new number is a new session. */
  attempt: number
  /** The session that this attempt goes on with. */
  resume?: string | undefined
  active: boolean
  onState: (state: TabState, attempt: number) => void
  onSession?: ((sessionId: string | undefined, attempt: number) => void) | undefined
  /** Whose session it is, and on what. */
  onStarted?: ((session: StartedSession) => void) | undefined
}

/**
 * The session of a pane: its line, which comes back by itself, its viewer, and what the gateway has
 * said. `onLeave`: the person wants to be back at the page.
 */
export function useDesktopSession(
  options: DesktopSessionOptions,
  box: RefObject<HTMLDivElement | null>,
  view: RefObject<{ isScaled: boolean; isSharp: boolean }>,
  onLeave: () => void,
) {
  const { attempt } = options
  const line = useRef<LineOf<typeof DESKTOP>>(undefined)
  const screen = useRef<DesktopScreen>(undefined)
  const sessionId = useRef<string>(undefined)
  /** A link that was asked for: a line that breaks loses the question, or the answer. */
  const unanswered = useRef<ShareWanted>(undefined)
  const [status, setStatus] = useState<Status>(FIRST_STATUS)
  const [room, setRoom] = useState(EMPTY_ROOM)
  const [driver, setDriver] = useState('')
  const [isAway, setAway] = useState(false)
  const delay = useLineDelay(line, options.active && status.isShown && !isAway)
  const latest = useRef({ ...options, onLeave, heard: delay.heard })
  latest.current = { ...options, onLeave, heard: delay.heard }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line for a new attempt, and for nothing else
  useEffect(() => {
    setStatus(FIRST_STATUS)
    let isOver = false
    /** One for each line: what an earlier one still sends is not drawn. */
    let shown: object | undefined
    const early: Uint8Array[] = []
    const hide = () => {
      shown = undefined
      early.length = 0
      screen.current?.dispose()
      screen.current = undefined
    }
    const show = async () => {
      hide()
      const mine = {}
      shown = mine
      const { openDesktop } = await import('./desktop-screen.ts')
      if (isOver || shown !== mine || !box.current) return
      screen.current = openDesktop(box.current, {
        send: (bytes) => line.current?.sendOnce(bytes),
        onFailed: () => line.current?.leave(),
        onLeave: () => latest.current.onLeave(),
        label: t('Desktop: keys go to it. Ctrl+Alt+Home leads back to the page.'),
      })
      screen.current.setScaled(view.current.isScaled)
      for (const bytes of early.splice(0)) screen.current.receive(bytes)
      // Whoever was writing in a dialog when the line broke writes on there.
      if (latest.current.active && !document.activeElement?.closest('[role="dialog"]')) screen.current.focus()
    }
    const ofRoom = roomHandlers(setRoom)
    const ofStatus = statusHandlers(setStatus)
    const opened = openOwnLine(DESKTOP, latest.current, {
      size: () => ({ ...NO_TERMINAL, ...wantedSize(box.current, view.current.isSharp) }),
      onOutput(output) {
        if (typeof output === 'string') return
        if (screen.current) screen.current.receive(output)
        else early.push(output)
      },
      onSession(session) {
        sessionId.current = session.id
        latest.current.onStarted?.(session)
        latest.current.onSession?.(session.id, attempt)
      },
      onError: (text) => setStatus((now) => ({ ...now, notice: text, isLast: true })),
      onLost() {
        hide()
        setAway(true)
        // The gateway takes the keys back from a guest, and can't tell this page so.
        setDriver('')
      },
      onBack() {
        setAway(false)
        if (unanswered.current) line.current?.message('TERMINAL_SHARE', unanswered.current)
      },
      onRefused: () => {},
      onInputLost: () => {},
      onPong: () => latest.current.heard(),
      on: {
        ...ofRoom,
        TERMINAL_SHARE(made) {
          unanswered.current = undefined
          ofRoom.TERMINAL_SHARE(made)
        },
        TERMINAL_LOCK(lock) {
          ofRoom.TERMINAL_LOCK(lock)
          ofStatus.lock(lock)
        },
        DESKTOP_START(said) {
          latest.current.onState('connected', attempt)
          void show()
          ofStatus.start(said)
        },
        DESKTOP_CLIPBOARD({ text }) {
          void copyText(text)
          setStatus((now) => ({ ...now, copied: text }))
        },
        DESKTOP_CONTROL: ({ id }) => setDriver(id),
        DESKTOP_FILES: () => setStatus((now) => ({ ...now, filesVersion: now.filesVersion + 1 })),
        // A page makes no noise of its own.
        DESKTOP_BELL() {},
        DESKTOP_NOTICE: ofStatus.notice,
        DESKTOP_ASK: ofStatus.ask,
        DESKTOP_WAIT: ofStatus.wait,
        DESKTOP_PROGRESS: ofStatus.progress,
      },
      onClosed(by) {
        isOver = true
        hide()
        setAway(false)
        unanswered.current = undefined
        setRoom(EMPTY_ROOM)
        setDriver('')
        setStatus((now) => ({ ...FIRST_STATUS, notice: now.isLast ? now.notice : LAST_WORDS[by](), isLast: true }))
        if (by !== 'moved') latest.current.onSession?.(undefined, attempt)
        latest.current.onState('disconnected', attempt)
      },
    })
    line.current = opened.line
    return () => {
      isOver = true
      hide()
      line.current = undefined
      setAway(false)
      opened.end()
    }
  }, [attempt])

  return {
    line,
    screen,
    status,
    setStatus,
    /** The line is broken just now. */
    isAway,
    /** Milliseconds there and back; undefined before it is known. */
    delay: delay.ms,
    room,
    driver,
    sessionId: sessionId.current,
    share(request: ShareRequest) {
      if (!sessionId.current) return
      unanswered.current = { session_id: sessionId.current, ...request }
      line.current?.message('TERMINAL_SHARE', unanswered.current)
    },
    forgetShare() {
      unanswered.current = undefined
      setRoom((now) => ({ ...now, share: undefined }))
    },
    removeParticipant: (id: string) => line.current?.message('TERMINAL_SHARE_USER_REMOVE', { id }),
    handOver: (id: string) => line.current?.message('DESKTOP_CONTROL', { id }),
  }
}
