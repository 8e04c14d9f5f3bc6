import { ConfigProvider } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { TabState } from '../../tabs/tabs.ts'
import { NotConnected } from '../NotConnected.tsx'
import type { MayShare } from '../room.ts'
import { SharingTools } from '../SideMenu.tsx'
import { Watermark } from '../Watermark.tsx'
import { DesktopFiles } from './DesktopFiles.tsx'
import { DesktopQuestion } from './DesktopQuestion.tsx'
import { DesktopTools } from './DesktopTools.tsx'
import { toggleFullScreen, useFullScreen } from './fill-screen.ts'
import { GivenFilesButton } from './GivenFiles.tsx'
import { type DesktopSessionOptions, useDesktopSession } from './use-desktop-session.ts'
import { useFadingNotice } from './use-fading-notice.ts'
import { useFileDrop } from './use-file-drop.ts'
import { onClipboardWords, refusedWords, useGivenFiles } from './use-given-files.ts'
import { usePlainPaste } from './use-plain-paste.ts'
import { useFollowedSize } from './wanted-size.ts'

export interface DesktopPaneProps extends DesktopSessionOptions {
  state: TabState
  watermark: string | undefined
  /** Sharing is on. */
  mayShare: MayShare
  onReconnect: () => void
}

/** One desktop and its session. Hidden ones stay connected. */
export function DesktopPane(props: DesktopPaneProps) {
  const { target, state, active, watermark, mayShare, onReconnect } = props
  const pane = useRef<HTMLElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [isScaled, setScaled] = useState(true)
  // A machine with RDP makes its letters larger where there are more dots; one with VNC does not.
  const [isSharp, setSharp] = useState(target.type === 'rdp')
  const view = useRef({ isScaled, isSharp })
  view.current = { isScaled, isSharp }
  const toTools = () => pane.current?.querySelector<HTMLElement>('.wt-side button')?.focus()
  const session = useDesktopSession(props, box, view, toTools)
  const { line, screen, status, setStatus, isAway, driver } = session
  /** Its tools outlive a line that breaks, with what was begun in them. */
  const isThere = status.isShown && state === 'connected'
  const isOn = isThere && !isAway
  const isFull = useFullScreen(pane)
  const { sessionId } = session
  const say = (notice: string) => setStatus((now) => ({ ...now, notice }))
  const files = useGivenFiles(sessionId, status.filesVersion, say)
  const [showsFiles, setShowsFiles] = useState(false)
  const takesFiles = isOn && files.listing?.may_upload === true

  useEffect(() => {
    if (active) screen.current?.focus()
  }, [active, screen])
  useFadingNotice(status, setStatus)
  useFollowedSize(box, line, isSharp, isOn && isScaled && active)

  const give = async (chosen: File[], folders: string[]): Promise<number[]> => {
    if (takesFiles) setShowsFiles(true)
    else say(refusedWords(files.listing))
    return takesFiles ? files.give(chosen, folders) : []
  }
  const drop = useFileDrop(pane, (chosen, folders) => void give(chosen, folders))
  const paste = (text: string) => line.current?.message('DESKTOP_CLIPBOARD', { text })
  // Nothing goes to a machine whose keys are somebody else's, or whose input is locked.
  const mayPaste = isOn && driver === '' && !status.isLocked && files.listing?.may_paste === true
  const pasteFiles = (ids: number[]) => {
    if (!mayPaste || !ids.length) return
    line.current?.message('DESKTOP_CLIPBOARD', { files: ids })
    say(onClipboardWords(ids.length))
  }
  const giveAndPaste = async (chosen: File[], folders: string[]) => pasteFiles(await give(chosen, folders))
  usePlainPaste(pane, screen, paste, (...all) => void giveAndPaste(...all), active && status.isShown)
  const scale = (scaled: boolean) => {
    setScaled(scaled)
    screen.current?.setScaled(scaled)
  }
  return (
    // What opens beside the pane would not be seen while the pane fills the screen.
    <ConfigProvider getPopupContainer={() => (isFull && pane.current) || document.body}>
      <section className="wt-pane wt-desktop" hidden={!active} aria-label={t('Desktop')} ref={pane} {...drop.handlers}>
        <div className="wt-desktop-box" ref={box} data-shown={status.isShown} />
        {drop.isOver && takesFiles && (
          <p className="wt-desktop-drop" aria-hidden="true">
            {t('Drop files here to give them to the machine')}
          </p>
        )}
        {watermark && <Watermark text={watermark} />}
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
            <SharingTools
              {...{ mayShare, driver, room: session.room }}
              onShare={session.share}
              onShared={session.forgetShare}
              onRemove={session.removeParticipant}
              onHandOver={session.handOver}
            />
            {status.filesVersion && sessionId ? (
              <GivenFilesButton
                session={sessionId}
                {...{ files }}
                isOpen={showsFiles}
                onOpen={setShowsFiles}
                onClipboard={mayPaste ? pasteFiles : undefined}
              />
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
        {isAway && (
          <div className="wt-lost" role="status">
            <span>{t('Connection lost, trying again…')}</span>
          </div>
        )}
        {state === 'disconnected' && <NotConnected onReconnect={onReconnect} />}
      </section>
    </ConfigProvider>
  )
}
