import { SearchIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import { NotConnected } from '../pane/NotConnected.tsx'
import { PaneHead, type PaneTitle } from '../pane/PaneHead.tsx'
import type { MayShare } from '../pane/room.ts'
import { useStarted } from '../pane/use-started.ts'
import { Watermark } from '../pane/Watermark.tsx'
import { whyAddress } from '../pane/why-address.ts'
import type { Screen } from '../screen/screen.ts'
import type { TabState } from '../tabs/tabs.ts'
import type { WatermarkText } from '../viewer.ts'
import { TransferBox } from '../zmodem/TransferBox.tsx'
import { FindBar } from './FindBar.tsx'
import { SideMenu } from './SideMenu.tsx'
import { useFileTransfer } from './use-file-transfer.ts'
import { type PaneSessionOptions, usePaneSession } from './use-pane-session.ts'
import { useScreen } from './use-screen.ts'
import { WayOut } from './WayOut.tsx'

export interface TerminalPaneProps extends PaneSessionOptions {
  state: TabState
  active: boolean
  /** Beside others, it may be seen without having the keyboard. */
  isShown?: boolean
  title?: PaneTitle | undefined
  watermark: WatermarkText | undefined
  /** Sharing is on. */
  mayShare: MayShare
  onReconnect: () => void
  /** Opens the workbench of the database, or the objects of the cluster, beside its prompt. */
  onWorkbench?: (() => void) | undefined
  onTitle?: (title: string) => void
  /** Where the batch bar finds this terminal's input. */
  onScreen?: (screen: Screen | undefined) => void
}

const FIND_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘F' : 'Ctrl+Shift+F'
const ENTER = 13
const CTRL_C = 3
const TYPED_IN = 'input, textarea:not(.xterm-helper-textarea), [role="dialog"], [role="dialog"] *'

/** One terminal and its session. Hidden ones stay connected. */
export function TerminalPane(props: TerminalPaneProps) {
  const { state, active, isShown = active, watermark, mayShare, onReconnect } = props
  const { session: begun, onStarted } = useStarted(props)
  /** How often the search was asked for; 0: it is closed. */
  const [finding, setFinding] = useState(0)
  const find = () => setFinding((times) => times + 1)
  const pane = useRef<HTMLElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const screen = useScreen(
    box,
    {
      onInput(bytes) {
        const [key] = bytes.length === 1 ? bytes : []
        if (transfer.current.current) {
          // The machine waits for packets; only giving up makes sense.
          if (key === CTRL_C) transfer.current.current.cancel()
        } else if (state !== 'disconnected') session.line.current?.send(bytes)
        else if (key === ENTER) onReconnect()
      },
      onResize: (size) => session.line.current?.resize(size),
      onTitle: (title) => props.onTitle?.(title),
      onFind: find,
      onScreen: (opened) => props.onScreen?.(opened),
    },
    { active, isShown },
  )
  const transfer = useFileTransfer(screen)
  const session = usePaneSession({ ...props, onStarted }, screen, transfer)
  const { room } = session.sharing

  // Moving onto a terminal is enough to type in it, unless the person is typing elsewhere or in a
  // dialog, which tells of the mouse as a part of the pane.
  const focusUnlessTyping = () => {
    // Beside others, a press chooses where the keys go.
    if (active && !document.activeElement?.matches(TYPED_IN)) screen.current?.focus()
  }
  return (
    <section
      className="wt-pane"
      hidden={!isShown}
      aria-label={t('Terminal')}
      onMouseEnter={focusUnlessTyping}
      ref={pane}
    >
      <PaneHead title={props.title} session={begun} state={state} users={room.users} watchers={room.watchers}>
        <Button
          type="text"
          size="small"
          icon={<SearchIcon />}
          aria-label={t('Find in the terminal')}
          title={`${t('Find in the terminal')} (${FIND_KEYS})`}
          onClick={find}
        />
      </PaneHead>
      <div className="wt-screen" ref={box} />
      {watermark && <Watermark {...watermark} />}
      {state !== 'connecting' && (
        <SideMenu
          {...session.sharing}
          mayShare={mayShare && state === 'connected'}
          onWorkbench={props.onWorkbench}
          workbench={props.target.type === 'k8s' ? t('Browse the resources') : t('Open the workbench')}
        />
      )}
      {transfer.view && transfer.current.current && (
        <TransferBox transfer={transfer.current.current} view={transfer.view} />
      )}
      {finding > 0 && screen.current && (
        <FindBar
          finder={screen.current.find}
          asked={finding}
          onClose={() => {
            setFinding(0)
            screen.current?.focus()
          }}
        />
      )}
      <WayOut pane={pane} text={t('Ctrl+F6 leaves the terminal')} />
      <LineState
        away={session.away}
        state={state}
        why={session.isRefused ? whyAddress(props.target) : undefined}
        onReconnect={onReconnect}
      />
    </section>
  )
}

/** That the line is broken, for now or for good. */
function LineState({
  away,
  state,
  why,
  onReconnect,
}: Pick<TerminalPaneProps, 'state' | 'onReconnect'> & {
  away: 'lost' | 'refused' | undefined
  why: string | undefined
}) {
  return (
    <>
      {away && (
        <div className="pane-lost" role="status">
          <span>{t('Connection lost, trying again…')}</span>
          {away === 'refused' && <span>{t('Input is not sent meanwhile.')}</span>}
        </div>
      )}
      {state === 'disconnected' && <NotConnected why={why} onReconnect={onReconnect} />}
    </>
  )
}
