import { useEffect, useRef, useState } from 'react'
import { copyText } from '../../../lib/clipboard.ts'
import { t } from '../../../lib/i18n.ts'
import type { StartedSession } from '../../screen/session-line.ts'
import { openTerminalSocket, type SocketTarget, type TerminalSocket } from '../../screen/socket.ts'
import type { TabState } from '../../tabs/tabs.ts'
import { NotConnected } from '../NotConnected.tsx'
import { CLOSED_WORDS } from '../notice.ts'
import { Watermark } from '../Watermark.tsx'
import { DesktopQuestion } from './DesktopQuestion.tsx'
import { DesktopTools } from './DesktopTools.tsx'
import type { DesktopScreen } from './desktop-screen.ts'
import { FIRST_STATUS, type Status, statusAfter } from './desktop-status.ts'
import { useFadingNotice } from './use-fading-notice.ts'
import { usePlainPaste } from './use-plain-paste.ts'

export interface DesktopPaneProps {
  target: SocketTarget
  /** A new number is a new session. */
  attempt: number
  state: TabState
  active: boolean
  watermark: string | undefined
  onState: (state: TabState, attempt: number) => void
  onStarted?: ((session: StartedSession) => void) | undefined
  onReconnect: () => void
}

/** The size of a terminal, which the gateway wants of everybody; a desktop has pixels. */
const NO_TERMINAL = { cols: 80, rows: 24 }

/** One desktop and its session. Hidden ones stay connected. */
export function DesktopPane(props: DesktopPaneProps) {
  const { state, active, watermark, onReconnect } = props
  const pane = useRef<HTMLElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [isScaled, setScaled] = useState(true)
  const { line, screen, status, setStatus } = useDesktopSession(props, box)

  useEffect(() => {
    if (active) screen.current?.focus()
  }, [active, screen])
  useFadingNotice(status, setStatus)

  const paste = (text: string) => line.current?.message('DESKTOP_CLIPBOARD', { text })
  usePlainPaste(pane, screen, paste, active && status.isShown)
  const scale = (scaled: boolean) => {
    setScaled(scaled)
    screen.current?.setScaled(scaled)
  }
  return (
    <section className="wt-pane wt-desktop" hidden={!active} aria-label={t('Desktop')} ref={pane}>
      <div className="wt-desktop-box" ref={box} data-shown={status.isShown} />
      {watermark && <Watermark text={watermark} />}
      {status.isShown && state === 'connected' && (
        <DesktopTools
          copied={status.copied}
          isScaled={isScaled}
          isLocked={status.isLocked}
          onScaled={scale}
          onPress={(keys) => screen.current?.press(keys)}
          onPaste={paste}
          onFullScreen={() => void pane.current?.requestFullscreen?.()}
          onClosed={() => screen.current?.focus()}
        />
      )}
      <DesktopQuestion
        status={status}
        onAnswer={(text) => {
          setStatus((now) => ({ ...now, question: undefined }))
          line.current?.message('DESKTOP_ANSWER', text === undefined ? {} : { text })
        }}
      />
      {status.notice && (
        <p className="wt-desktop-notice" role={status.isLast ? 'alert' : 'status'}>
          {status.notice}
        </p>
      )}
      {state === 'disconnected' && <NotConnected onReconnect={onReconnect} />}
    </section>
  )
}

/** The session of a pane: its line, its viewer, and what the gateway has said. */
function useDesktopSession(props: DesktopPaneProps, box: React.RefObject<HTMLDivElement | null>) {
  const { attempt } = props
  const line = useRef<TerminalSocket>(undefined)
  const screen = useRef<DesktopScreen>(undefined)
  const [status, setStatus] = useState<Status>(FIRST_STATUS)
  const latest = useRef(props)
  latest.current = props

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line for a new attempt, and for nothing else
  useEffect(() => {
    setStatus(FIRST_STATUS)
    let isOver = false
    const early: Uint8Array[] = []
    const close = () => {
      isOver = true
      screen.current?.dispose()
      screen.current = undefined
    }
    const show = async () => {
      const { openDesktop } = await import('./desktop-screen.ts')
      if (isOver || !box.current) return
      const send = (bytes: Uint8Array) => line.current?.send(bytes)
      const onFailed = () => opened.close()
      screen.current = openDesktop(box.current, { send, onFailed })
      for (const bytes of early.splice(0)) screen.current.receive(bytes)
      if (latest.current.active) screen.current.focus()
    }
    const opened = openTerminalSocket(latest.current.target, {
      onOutput(output) {
        if (typeof output === 'string') return
        if (screen.current) screen.current.receive(output)
        else early.push(output)
      },
      onConnect: () => ({ ...NO_TERMINAL, ...sizeOf(box.current) }),
      onSession: (said) => {
        const { session } = said as { session?: StartedSession }
        if (session) latest.current.onStarted?.(session)
      },
      onResize: () => {},
      onError: (text) => setStatus((now) => ({ ...now, notice: text, isLast: true })),
      onMessage(type, data) {
        if (type === 'DESKTOP_START') {
          latest.current.onState('connected', attempt)
          void show()
        } else if (type === 'DESKTOP_CLIPBOARD') void copyText(String((data as { text?: unknown }).text ?? ''))
        setStatus((now) => statusAfter(now, type, data))
      },
      onClosed(by) {
        close()
        setStatus((now) => ({
          ...FIRST_STATUS,
          notice: now.isLast ? now.notice : CLOSED_WORDS[by](),
          isLast: true,
        }))
        latest.current.onState('disconnected', attempt)
      },
    })
    line.current = opened
    return () => {
      close()
      line.current = undefined
      opened.message('CLOSE', '')
      opened.close()
    }
  }, [attempt])
  return { line, screen, status, setStatus }
}

/** What some machines make their screen as large as. */
function sizeOf(box: HTMLElement | null): { width: number; height: number } | undefined {
  return box?.clientWidth && box.clientHeight ? { width: box.clientWidth, height: box.clientHeight } : undefined
}
