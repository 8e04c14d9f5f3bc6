import { useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { NotConnected } from '../pane/NotConnected.tsx'
import type { MayShare } from '../pane/room.ts'
import { Watermark } from '../pane/Watermark.tsx'
import type { Screen } from '../screen/screen.ts'
import type { TabState } from '../tabs/tabs.ts'
import { TransferBox } from '../zmodem/TransferBox.tsx'
import { SideMenu } from './SideMenu.tsx'
import { useFileTransfer } from './use-file-transfer.ts'
import { type PaneSessionOptions, usePaneSession } from './use-pane-session.ts'
import { useScreen } from './use-screen.ts'
import { WayOut } from './WayOut.tsx'

export interface TerminalPaneProps extends PaneSessionOptions {
  state: TabState
  active: boolean
  watermark: string | undefined
  /** Sharing is on. */
  mayShare: MayShare
  onReconnect: () => void
  /** Opens the workbench of the database, or the objects of the cluster, beside its prompt. */
  onWorkbench?: (() => void) | undefined
  onTitle?: (title: string) => void
  /** Where the batch bar finds this terminal's input. */
  onScreen?: (screen: Screen | undefined) => void
}

const ENTER = 13
const CTRL_C = 3
const TYPED_IN = 'input, textarea:not(.xterm-helper-textarea), [role="dialog"], [role="dialog"] *'

/** One terminal and its session. Hidden ones stay connected. */
export function TerminalPane(props: TerminalPaneProps) {
  const { state, active, watermark, mayShare, onReconnect } = props
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
      onScreen: (opened) => props.onScreen?.(opened),
    },
    active,
  )
  const transfer = useFileTransfer(screen)
  const session = usePaneSession(props, screen, transfer)

  // Moving onto a terminal is enough to type in it, unless the person is typing elsewhere or in a
  // dialog, which tells of the mouse as a part of the pane.
  const focusUnlessTyping = () => {
    if (!document.activeElement?.matches(TYPED_IN)) screen.current?.focus()
  }
  return (
    <section
      className="wt-pane"
      hidden={!active}
      aria-label={t('Terminal')}
      onMouseEnter={focusUnlessTyping}
      ref={pane}
    >
      <div className="wt-screen" ref={box} />
      {watermark && <Watermark text={watermark} />}
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
      <WayOut pane={pane} text={t('Ctrl+F6 leaves the terminal')} />
      <LineState away={session.away} state={state} onReconnect={onReconnect} />
    </section>
  )
}

/** That the line is broken, for now or for good. */
function LineState({
  away,
  state,
  onReconnect,
}: Pick<TerminalPaneProps, 'state' | 'onReconnect'> & { away: 'lost' | 'refused' | undefined }) {
  return (
    <>
      {away && (
        <div className="pane-lost" role="status">
          <span>{t('Connection lost, trying again…')}</span>
          {away === 'refused' && <span>{t('Input is not sent meanwhile.')}</span>}
        </div>
      )}
      {state === 'disconnected' && <NotConnected onReconnect={onReconnect} />}
    </>
  )
}
