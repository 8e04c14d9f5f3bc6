import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { ApiError, api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { readPreferences } from '../screen/preferences.ts'
import { openScreen, type Screen } from '../screen/screen.ts'
import { openSessionLine, type SessionLine, type StartedSession } from '../screen/session-line.ts'
import type { SocketTarget } from '../screen/socket.ts'
import { windowName } from '../tabs/kept-tabs.ts'
import type { TabState } from '../tabs/tabs.ts'
import { type FileTransfer, followTransfer, type TransferView } from '../zmodem/file-transfer.ts'
import { TransferBox } from '../zmodem/TransferBox.tsx'
import { EMPTY_ROOM, roomAfter } from './room.ts'
import { SideMenu } from './SideMenu.tsx'
import { Watermark } from './Watermark.tsx'

export interface TerminalPaneProps {
  target: SocketTarget
  /** A new number is a new session on the same screen. */
  attempt: number
  /** The session that this attempt goes on with. */
  resume?: string | undefined
  state: TabState
  active: boolean
  watermark: string | undefined
  /** Sharing is on. */
  mayShare: boolean
  onState: (state: TabState, attempt: number) => void
  /** Which session it is; undefined when it is over. */
  onSession?: (sessionId: string | undefined, attempt: number) => void
  /** Whose session it is, and on what. */
  onStarted?: (session: StartedSession) => void
  onReconnect: () => void
  onTitle?: (title: string) => void
  /** Where the batch bar finds this terminal's input. */
  onScreen?: (screen: Screen | undefined) => void
}

const ENTER = 13
const CTRL_C = 3

/** A line of our own in the terminal; it is not part of the session and in no recording. */
function notice(text: string): string {
  return `\r\n\x1b[0;33m${text.replaceAll('\n', '\r\n')}\x1b[0m\r\n`
}

/**
 * Who has signed out is told so, and tries no more until they are back; a server that can't be
 * reached is tried again.
 */
async function stillSignedIn(): Promise<void> {
  await api.get('/koko/sessions/', { quiet: true }).catch((error: unknown) => {
    if (error instanceof ApiError && [0, 401, 502, 503].includes(error.status)) throw error
  })
}

/**
 * Its tab was closed while there was no line; without an answer the server waits in vain for a
 * while.
 */
function abandon(sessionId: string): void {
  api.delete(`/koko/sessions/${sessionId}/`, { quiet: true }).catch(() => {})
}

/** One terminal and its session. Hidden ones stay connected. */
export function TerminalPane(props: TerminalPaneProps) {
  const { attempt, state, active, watermark, mayShare, onReconnect } = props
  const box = useRef<HTMLDivElement>(null)
  const screen = useRef<Screen>(null)
  const line = useRef<SessionLine>(undefined)
  const sessionId = useRef<string>(undefined)
  const [room, setRoom] = useState(EMPTY_ROOM)
  const transfer = useRef<FileTransfer>(undefined)
  const [transferView, setTransferView] = useState<TransferView>()
  const [away, setAway] = useState<'lost' | 'refused'>()
  // Callbacks of an emulator that lives as long as the tab must see the props of today.
  const latest = useRef(props)
  latest.current = props

  useEffect(() => {
    const opened = openScreen(box.current as HTMLDivElement, readPreferences(), {
      onInput(bytes) {
        if (transfer.current) {
          // The machine waits for packets; only giving up makes sense.
          if (bytes.length === 1 && bytes[0] === CTRL_C) transfer.current.cancel()
        } else if (latest.current.state !== 'disconnected') line.current?.send(bytes)
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
    const beginTransfer = () =>
      followTransfer({
        send: (bytes) => opened.sendOnce(bytes),
        onView: setTransferView,
        onNotTaken: (name) =>
          screen.current?.write(notice(t('The machine did not take {{name}}: it has a file of this name.', { name }))),
        onWords: (bytes) => screen.current?.write(bytes),
      })
    const endTransfer = (how: (one: FileTransfer) => void) => {
      if (transfer.current) how(transfer.current)
      transfer.current = undefined
      screen.current?.focus()
    }
    const { target, resume } = latest.current
    const opened = openSessionLine(
      target,
      { client: windowName(), resume, beforeRetry: stillSignedIn, abandon },
      {
        size: () => screen.current?.size() ?? { cols: 80, rows: 24 },
        onOutput(output) {
          if (transfer.current && typeof output !== 'string') return transfer.current.push(output)
          screen.current?.write(output)
        },
        onMessage(type, data) {
          if (type === 'TERMINAL_ACTION' && data === 'ZMODEM_START') transfer.current = beginTransfer()
          else if (type === 'TERMINAL_ACTION' && data === 'ZMODEM_END') endTransfer((one) => one.ended())
          else setRoom((now) => roomAfter(now, type, data))
        },
        onSession(session) {
          const { id } = session
          sessionId.current = id
          latest.current.onStarted?.(session)
          latest.current.onState('connected', attempt)
          latest.current.onSession?.(id, attempt)
        },
        onLost() {
          endTransfer((one) => one.lost())
          setAway('lost')
        },
        onBack: () => setAway(undefined),
        onRefused: () => setAway((now) => now && 'refused'),
        onInputLost: () =>
          screen.current?.write(notice(t('Some of what you typed when the connection broke did not arrive.'))),
        onError: (text) => screen.current?.write(notice(text)),
        onClosed(by) {
          endTransfer((one) => one.lost())
          setAway(undefined)
          setRoom(EMPTY_ROOM)
          if (by === 'moved')
            screen.current?.write(notice(t('You work on in another window. Press Enter to take the session back.')))
          else if (by === 'ended')
            screen.current?.write(notice(t('The session has ended. Press Enter to connect again.')))
          else screen.current?.write(notice(t('The connection was lost. Press Enter to connect again.')))
          if (by !== 'moved') latest.current.onSession?.(undefined, attempt)
          latest.current.onState('disconnected', attempt)
        },
      },
    )
    line.current = opened
    // What the browser notices before the line does: the network is back, the laptop woke up.
    const retry = () => document.visibilityState === 'visible' && opened.retry()
    addEventListener('online', retry)
    document.addEventListener('visibilitychange', retry)
    return () => {
      removeEventListener('online', retry)
      document.removeEventListener('visibilitychange', retry)
      line.current = undefined
      setAway(undefined)
      endTransfer((one) => one.lost())
      opened.end()
    }
  }, [attempt])

  useEffect(() => {
    if (!active) return
    screen.current?.fit()
    screen.current?.focus()
  }, [active])

  // Moving onto a terminal is enough to type in it, unless the person is typing elsewhere or in a
  // dialog, which tells of the mouse as a part of the pane.
  const focusUnlessTyping = () => {
    if (
      !document.activeElement?.matches(
        'input, textarea:not(.xterm-helper-textarea), [role="dialog"], [role="dialog"] *',
      )
    )
      screen.current?.focus()
  }

  return (
    <section className="wt-pane" hidden={!active} aria-label={t('Terminal')} onMouseEnter={focusUnlessTyping}>
      <div className="wt-screen" ref={box} />
      {watermark && <Watermark text={watermark} />}
      {state !== 'connecting' && (
        <SideMenu
          room={room}
          mayShare={mayShare && state === 'connected'}
          onShare={(request) => line.current?.message('TERMINAL_SHARE', { session_id: sessionId.current, ...request })}
          onShared={() => setRoom((now) => ({ ...now, share: undefined }))}
          onRemove={(id) => line.current?.message('TERMINAL_SHARE_USER_REMOVE', { id })}
        />
      )}
      {transferView && transfer.current && <TransferBox transfer={transfer.current} view={transferView} />}
      {away && (
        <div className="wt-lost" role="status">
          <span>{t('Connection lost, trying again…')}</span>
          {away === 'refused' && <span>{t('What you type meanwhile is not sent.')}</span>}
        </div>
      )}
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
