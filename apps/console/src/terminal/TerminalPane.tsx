import { Button } from 'antd'
import { useEffect, useRef } from 'react'
import { t } from '../lib/i18n.ts'
import { readPreferences } from './preferences.ts'
import { openScreen, type Screen } from './screen.ts'
import { openTerminalSocket, type SocketTarget, type TerminalSocket } from './socket.ts'
import type { TabState } from './tabs.ts'
import { Watermark } from './Watermark.tsx'

export interface TerminalPaneProps {
  target: SocketTarget
  /** A new number is a new session on the same screen. */
  attempt: number
  state: TabState
  active: boolean
  watermark: string | undefined
  onState: (state: TabState, attempt: number) => void
  onReconnect: () => void
  onTitle?: (title: string) => void
  /** Where the batch bar finds this terminal's input. */
  onScreen?: (screen: Screen | undefined) => void
}

const ENTER = 13

/** A line of our own in the terminal; it is not part of the session and in no recording. */
function notice(text: string): string {
  return `\r\n\x1b[0;33m${text.replaceAll('\n', '\r\n')}\x1b[0m\r\n`
}

/** One terminal and its session. Hidden ones stay connected. */
export function TerminalPane(props: TerminalPaneProps) {
  const { attempt, state, active, watermark, onReconnect } = props
  const box = useRef<HTMLDivElement>(null)
  const screen = useRef<Screen>(null)
  const line = useRef<TerminalSocket>(undefined)
  // Callbacks of an emulator that lives as long as the tab must see the props of today.
  const latest = useRef(props)
  latest.current = props

  useEffect(() => {
    const opened = openScreen(box.current as HTMLDivElement, readPreferences(), {
      onInput(bytes) {
        if (latest.current.state !== 'disconnected') line.current?.send(bytes)
        else if (bytes.length === 1 && bytes[0] === ENTER) latest.current.onReconnect()
      },
      onResize: (size) => line.current?.resize(size),
      onTitle: (title) => latest.current.onTitle?.(title),
    })
    screen.current = opened
    latest.current.onScreen?.(opened)
    return () => {
      latest.current.onScreen?.(undefined)
      screen.current = null
      opened.dispose()
    }
  }, [])

  useEffect(() => {
    if (attempt > 0) screen.current?.reset()
    const socket = openTerminalSocket(latest.current.target, {
      onOutput: (output) => screen.current?.write(output),
      onConnect() {
        latest.current.onState('connected', attempt)
        return screen.current?.size() ?? { cols: 80, rows: 24 }
      },
      onSession: () => latest.current.onState('connected', attempt),
      onResize: () => {},
      onError: (text) => screen.current?.write(notice(text)),
      onClosed(by) {
        const text =
          by === 'ended'
            ? t('The session has ended. Press Enter to connect again.')
            : t('The connection was lost. Press Enter to connect again.')
        screen.current?.write(notice(text))
        latest.current.onState('disconnected', attempt)
      },
    })
    line.current = socket
    return () => {
      line.current = undefined
      socket.close()
    }
  }, [attempt])

  useEffect(() => {
    if (!active) return
    screen.current?.fit()
    screen.current?.focus()
  }, [active])

  // Moving onto a terminal is enough to type in it, unless the person is typing elsewhere.
  const focusUnlessTyping = () => {
    if (!document.activeElement?.matches('input, textarea:not(.xterm-helper-textarea)')) screen.current?.focus()
  }

  return (
    <section className="wt-pane" hidden={!active} aria-label={t('Terminal')} onMouseEnter={focusUnlessTyping}>
      <div className="wt-screen" ref={box} />
      {watermark && <Watermark text={watermark} />}
      {state === 'disconnected' && (
        <div className="wt-lost" role="status">
          <span>{t('Not connected')}</span>
          <Button size="small" type="primary" onClick={onReconnect}>
            {t('Reconnect')}
          </Button>
        </div>
      )}
    </section>
  )
}
