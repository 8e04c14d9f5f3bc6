import { useEffect, useRef, useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { PaneHead, type PaneTitle } from '../../pane/PaneHead.tsx'
import { PaneMessages } from '../../pane/PaneMessages.tsx'
import type { MayShare } from '../../pane/room.ts'
import { useFadingNotice } from '../../pane/use-fading-notice.ts'
import { useStarted } from '../../pane/use-started.ts'
import type { TabState } from '../../tabs/tabs.ts'
import type { WatermarkText } from '../../viewer.ts'
import { SharingTools } from '../SideMenu.tsx'
import { DesktopFiles } from './DesktopFiles.tsx'
import { DesktopTools } from './DesktopTools.tsx'
import { toggleFullScreen, useFullScreen } from './fill-screen.ts'
import { GivenFilesButton } from './GivenFiles.tsx'
import { type DesktopSessionOptions, useDesktopSession } from './use-desktop-session.ts'
import { useFileDrop } from './use-file-drop.ts'
import { useGiving } from './use-giving.ts'
import { usePlainPaste } from './use-plain-paste.ts'
import { useFollowedSize } from './wanted-size.ts'

export interface DesktopPaneProps extends DesktopSessionOptions {
  state: TabState
  /** Beside others, it may be seen without having the keyboard. */
  isShown?: boolean
  title?: PaneTitle | undefined
  watermark: WatermarkText | undefined
  /** Sharing is on. */
  mayShare: MayShare
  onReconnect: () => void
}

/** One desktop and its session. Hidden ones stay connected. */
export function DesktopPane(props: DesktopPaneProps) {
  const { target, state, active, isShown = active, watermark, mayShare, onReconnect } = props
  const { session: begun, onStarted } = useStarted(props)
  const pane = useRef<HTMLElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [isScaled, setScaled] = useState(true)
  // A machine with RDP makes its letters larger where there are more dots; one with VNC does not.
  const [isSharp, setSharp] = useState(target.type === 'rdp')
  const view = useRef({ isScaled, isSharp })
  view.current = { isScaled, isSharp }
  const toTools = () => pane.current?.querySelector<HTMLElement>('.wt-side button')?.focus()
  const session = useDesktopSession({ ...props, isShown, onStarted }, box, view, toTools)
  const { room } = session.sharing
  const { line, screen, status, setStatus, isAway, driver } = session
  /** Its tools outlive a line that breaks, with what was begun in them. */
  const isThere = status.isShown && state === 'connected'
  const isOn = isThere && !isAway
  const isFull = useFullScreen(pane)
  const { sessionId } = session
  const say = (notice: string) => setStatus((now) => ({ ...now, notice }))

  useEffect(() => {
    if (active) screen.current?.focus()
  }, [active, screen])
  useFadingNotice(status, setStatus)
  useFollowedSize(box, line, isSharp, isOn && isScaled && isShown)

  const paste = (text: string) => line.current?.message('DESKTOP_CLIPBOARD', { text })
  const given = useGiving({
    ...{ sessionId, isOn, say },
    filesVersion: status.filesVersion,
    // Nothing goes to a machine that another person drives, or whose input is locked.
    mayType: driver === '' && !status.isLocked,
    paste: (ids) => line.current?.message('DESKTOP_CLIPBOARD', { files: ids }),
  })
  const drop = useFileDrop(pane, (chosen, folders) => void given.give(chosen, folders))
  usePlainPaste(pane, screen, paste, given.giveAndPaste, active && status.isShown)
  const scale = (scaled: boolean) => {
    setScaled(scaled)
    screen.current?.setScaled(scaled)
  }
  return (
    <section className="wt-pane wt-desktop" hidden={!isShown} aria-label={t('Desktop')} ref={pane} {...drop.handlers}>
      <PaneHead title={props.title} session={begun} state={state} users={room.users} watchers={room.watchers} />
      <div className="wt-desktop-box" ref={box} data-shown={status.isShown} />
      {drop.isOver && given.takesFiles && (
        <p className="wt-desktop-drop" aria-hidden="true">
          {t('Drop files here to give them to the machine')}
        </p>
      )}
      {isThere && (
        <DesktopTools
          {...{ isScaled, isSharp, isFull, isAway, delay: session.delay }}
          copied={status.copied}
          isLocked={status.isLocked}
          pasteKeys={status.pasteKeys}
          isDriven={driver !== ''}
          onScaled={scale}
          onSharp={setSharp}
          onPress={(keys) => screen.current?.press(keys)}
          onPaste={paste}
          onPasteKeys={(keys) => {
            setStatus((now) => ({ ...now, pasteKeys: keys }))
            line.current?.message('DESKTOP_PASTE_KEYS', { keys })
          }}
          onKeyboard={() => screen.current?.showKeyboard()}
          onFullScreen={() => void toggleFullScreen(pane.current)}
          onClosed={() => screen.current?.focus()}
        >
          <SharingTools {...session.sharing} {...{ mayShare, driver }} onHandOver={session.handOver} />
          {status.filesVersion && sessionId ? (
            <GivenFilesButton session={sessionId} {...given.button} />
          ) : (
            target.type !== 'token' && !target.family && <DesktopFiles target={target} />
          )}
        </DesktopTools>
      )}
      {isOn && (
        <p className="wt-desktop-way-out" aria-hidden="true">
          {t('Ctrl+Alt+Home leads back to the page')}
        </p>
      )}
      <PaneMessages
        {...{ status, state, target, watermark, onReconnect, isAway }}
        onAnswer={(text) => {
          setStatus((now) => ({ ...now, question: undefined }))
          line.current?.message('DESKTOP_ANSWER', text === undefined ? {} : { text })
        }}
      />
    </section>
  )
}
