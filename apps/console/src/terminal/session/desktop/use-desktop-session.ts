import { DESKTOP } from '@sallyport/contract/socket/desktop.ts'
import type { Handlers } from '@sallyport/contract/socket/message.ts'
import type { ROOM } from '@sallyport/contract/socket/room.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { copyText } from '../../../lib/clipboard.ts'
import { t } from '../../../lib/i18n.ts'
import { LAST_WORDS, NO_TERMINAL } from '../../pane/notice.ts'
import { type LineEvents, type LineOf, openOwnLine } from '../../pane/own-line.ts'
import { FIRST_STATUS, type Status, statusHandlers } from '../../pane/pane-status.ts'
import { useSharing } from '../../pane/use-sharing.ts'
import type { StartedSession } from '../../screen/session-line.ts'
import type { SocketTarget } from '../../screen/socket.ts'
import type { TabState } from '../../tabs/tabs.ts'
import type { DesktopScreen } from './desktop-screen.ts'
import { desktopViewer } from './desktop-viewer.ts'
import { useLineDelay } from './use-line-delay.ts'
import { wantedSize } from './wanted-size.ts'

export interface DesktopSessionOptions {
  target: SocketTarget
  /** A new number is a new session. */
  attempt: number
  /** The session to resume. */
  resume?: string | undefined
  active: boolean
  /** It is seen; it may be so without having the keyboard. */
  isShown?: boolean
  onState: (state: TabState, attempt: number) => void
  onSession?: ((sessionId: string | undefined, attempt: number) => void) | undefined
  /** The session has begun: its person and its target. */
  onStarted?: ((session: StartedSession) => void) | undefined
}

/**
 * The session of a pane: its connection, which comes back by itself, its viewer, and all that the
 * gateway reports. `onLeave`: the person wants to return to the page.
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
  const sharing = useSharing({
    share: (wanted) => line.current?.message('TERMINAL_SHARE', wanted),
    remove: (id) => line.current?.message('TERMINAL_SHARE_USER_REMOVE', { id }),
  })
  const [status, setStatus] = useState<Status>(FIRST_STATUS)
  const [driver, setDriver] = useState('')
  const [isAway, setAway] = useState(false)
  const delay = useLineDelay(line, (options.isShown ?? options.active) && status.isShown && !isAway)
  const latest = useRef({ ...options, onLeave, heard: delay.heard, sharing })
  latest.current = { ...options, onLeave, heard: delay.heard, sharing }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line for a new attempt, and for nothing else
  useEffect(() => {
    setStatus(FIRST_STATUS)
    const viewer = desktopViewer({
      ...{ box, screen },
      events: {
        send: (bytes) => line.current?.sendOnce(bytes),
        onFailed: () => line.current?.leave(),
        onLeave: () => latest.current.onLeave(),
        label: t('Desktop: keys go to it. Ctrl+Alt+Home leads back to the page.'),
      },
      onShown(shown) {
        shown.setScaled(view.current.isScaled)
        // A person who writes in a dialog keeps on writing there.
        if (latest.current.active && !document.activeElement?.closest('[role="dialog"]')) shown.focus()
      },
    })
    const opened = openOwnLine(DESKTOP, latest.current, {
      size: () => ({ ...NO_TERMINAL, ...wantedSize(box.current, view.current.isSharp) }),
      onOutput: (output) => typeof output !== 'string' && viewer.receive(output),
      onSession(session) {
        sharing.sessionId.current = session.id
        latest.current.onStarted?.(session)
        latest.current.onSession?.(session.id, attempt)
      },
      onError: (text) => setStatus((now) => ({ ...now, notice: text, isLast: true })),
      onLost() {
        viewer.hide()
        setAway(true)
        // The gateway takes the keys back from a guest, and cannot report that now.
        setDriver('')
      },
      onBack() {
        setAway(false)
        latest.current.sharing.resume()
      },
      onRefused: () => {},
      onInputLost: () => {},
      onPong: () => latest.current.heard(),
      on: desktopHandlers({
        ...{ setStatus, setDriver, ofRoom: sharing.handlers },
        onStart() {
          latest.current.onState('connected', attempt)
          void viewer.show()
        },
      }),
      onClosed(by) {
        viewer.hide()
        setAway(false)
        latest.current.sharing.end()
        setDriver('')
        setStatus((now) => ({ ...FIRST_STATUS, notice: now.isLast ? now.notice : LAST_WORDS[by](), isLast: true }))
        if (by !== 'moved') latest.current.onSession?.(undefined, attempt)
        latest.current.onState('disconnected', attempt)
      },
    })
    line.current = opened.line
    return () => {
      viewer.hide()
      line.current = undefined
      setAway(false)
      opened.end()
    }
  }, [attempt])

  return {
    ...{ line, screen, status, setStatus, driver },
    /** The connection is lost for now. */
    isAway,
    /** Milliseconds to the gateway and back; undefined until it is known. */
    delay: delay.ms,
    sharing: sharing.tools,
    sessionId: sharing.sessionId.current,
    handOver: (id: string) => line.current?.message('DESKTOP_CONTROL', { id }),
  }
}

interface DesktopHandlersOptions {
  setStatus: (change: (now: Status) => Status) => void
  setDriver: (id: string) => void
  ofRoom: Handlers<typeof ROOM>
  onStart: () => void
}

/** Takes each message of a desktop. */
function desktopHandlers({ setStatus, setDriver, ofRoom, onStart }: DesktopHandlersOptions) {
  const ofStatus = statusHandlers(setStatus)
  const handlers: LineEvents<typeof DESKTOP>['on'] = {
    ...ofRoom,
    TERMINAL_LOCK(lock) {
      ofRoom.TERMINAL_LOCK(lock)
      ofStatus.lock(lock)
    },
    DESKTOP_START(start) {
      onStart()
      ofStatus.start(start)
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
  }
  return handlers
}
