import { JOINED } from '@sallyport/contract/socket/desktop.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Dialog } from '../../design/dialogs/Dialog.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { t } from '../../lib/i18n.ts'
import { CLOSED_WORDS, notice } from '../pane/notice.ts'
import { EMPTY_ROOM, roomHandlers } from '../pane/room.ts'
import { type FadingNotice, useFadingNotice } from '../pane/use-fading-notice.ts'
import { Watermark } from '../pane/Watermark.tsx'
import { readPreferences } from '../screen/preferences.ts'
import { openScreen, type Screen } from '../screen/screen.ts'
import { openTerminalSocket, type TerminalSocket } from '../screen/socket.ts'
import { pageTitle, type Viewer, watermarkOf } from '../viewer.ts'
import { watchedDesktop } from './desktop/watched-desktop.ts'
import { SideMenu } from './SideMenu.tsx'

const CODE_LENGTH = 4

export interface JoinPageProps {
  viewer: Viewer
  shareId: string
  /** From the address. */
  code: string | null
}

/** Somebody else's session, joined by link and code. */
export function JoinPage({ viewer, shareId, code }: JoinPageProps) {
  const box = useRef<HTMLDivElement>(null)
  const screen = useRef<Screen>(null)
  const pane = useRef<HTMLElement>(null)
  const { line, room, isOpen, isDesktop, hasKeys, message, ...question } = useSharedSession(
    shareId,
    code,
    screen,
    box,
    pane,
  )

  useEffect(() => {
    document.title = pageTitle(viewer)
    const opened = openScreen(box.current as HTMLDivElement, readPreferences(), {
      follows: true,
      onInput: (bytes) => line.current?.send(bytes),
      onResize: () => {},
    })
    screen.current = opened
    return () => opened.dispose()
  }, [viewer, line])

  const watermark = watermarkOf(viewer, '')
  return (
    <main className="wt">
      <div className="wt-panes">
        <section className="wt-pane" aria-label={isDesktop ? t('Desktop') : t('Terminal')} ref={pane}>
          <div className="wt-screen" ref={box} />
          {message && (
            <p className="pane-notice" role="status">
              {message}
            </p>
          )}
          {hasKeys && (
            <p className="wt-locked-line" role="status">
              {t('You have control.')}
              <br />
              {t('Ctrl+Alt+Home leads back to the page')}
            </p>
          )}
          <SideMenu room={room} mayShare={false} onShare={() => {}} onShared={() => {}} />
          {watermark && <Watermark {...watermark} />}
        </section>
      </div>
      {!isOpen && <CodeDialog {...question} />}
    </main>
  )
}

/** The code as it is typed, and the session that it opens on the screen. */
function useSharedSession(
  shareId: string,
  code: string | null,
  screen: RefObject<Screen | null>,
  box: RefObject<HTMLDivElement | null>,
  pane: RefObject<HTMLElement | null>,
) {
  const line = useRef<TerminalSocket<typeof JOINED.fromClient>>(undefined)
  const [asked, setAsked] = useState(code ?? '')
  const [trying, setTrying] = useState(code)
  const [refusal, setRefusal] = useState<string>()
  const [joined, setJoined] = useState(false)
  const [room, setRoom] = useState(EMPTY_ROOM)
  /** For a desktop: whether this page has control, and the last message. */
  const [isDesktop, setDesktop] = useState(false)
  const [hasKeys, setHasKeys] = useState(false)
  const [fading, setFading] = useState<FadingNotice>({ notice: undefined, isLast: false })
  useFadingNotice(fading, setFading)

  useEffect(() => {
    if (!trying) return
    let admitted = false
    let message: string | undefined
    let participant = ''
    const desktop = watchedDesktop(box.current as HTMLDivElement, (bytes) => socket.send(bytes), {
      label: t('Desktop: keys go to it. Ctrl+Alt+Home leads back to the page.'),
      onLeave: () => (pane.current?.querySelector<HTMLElement>('.wt-side button') ?? document.body).focus(),
    })
    const socket = openTerminalSocket({ type: 'share', target_id: shareId }, JOINED, {
      onOutput(output) {
        if (!admitted) return
        if (desktop.isOn && typeof output !== 'string') desktop.receive(output)
        else screen.current?.write(output)
      },
      onConnect: () => ({ ...(screen.current?.size() ?? { cols: 80, rows: 24 }), code: trying }),
      onSession(about) {
        admitted = true
        participant = about.participant ?? ''
        setJoined(true)
        setRefusal(undefined)
        screen.current?.focus()
      },
      onResize: (size) => screen.current?.follow(size),
      on: {
        ...roomHandlers(setRoom),
        DESKTOP_START() {
          screen.current?.dispose()
          screen.current = null
          setDesktop(true)
          desktop.begin()
        },
        DESKTOP_NOTICE: ({ text, urgency }) => setFading({ notice: text, isLast: urgency === 'last' }),
        DESKTOP_CONTROL({ id }) {
          const isMine = participant !== '' && id === participant
          desktop.setReadOnly(!isMine)
          setHasKeys(isMine)
        },
      },
      onError(text) {
        message = text
      },
      onClosed(by) {
        line.current = undefined
        setTrying(null)
        setRoom(EMPTY_ROOM)
        setHasKeys(false)
        if (desktop.isOn) {
          desktop.setReadOnly(true)
          setFading((now) => (now.isLast && !message ? now : { notice: message ?? CLOSED_WORDS[by](), isLast: true }))
        } else if (admitted) {
          screen.current?.write(notice(message ?? CLOSED_WORDS[by]()))
        } else {
          setAsked('')
          setRefusal(message ?? (by === 'unreached' ? CLOSED_WORDS[by]() : t('The connection was lost.')))
        }
      },
    })
    line.current = socket
    return () => {
      socket.close()
      desktop.end()
    }
  }, [trying, shareId, screen, box, pane])
  return {
    line,
    room,
    hasKeys,
    isDesktop,
    message: fading.notice,
    isOpen: joined || Boolean(trying),
    asked,
    setAsked,
    refusal,
    join: setTrying,
  }
}

interface CodeDialogProps {
  asked: string
  setAsked: (code: string) => void
  refusal: string | undefined
  join: (code: string) => void
}

function CodeDialog({ asked, setAsked, refusal, join }: CodeDialogProps) {
  const isWhole = asked.trim().length === CODE_LENGTH
  return (
    <Dialog title={t('Code')} width={360}>
      <form
        className="wt-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (isWhole) join(asked.trim())
        }}
      >
        <label htmlFor="wt-code">{t('The code that came with the link')}</label>
        <Input id="wt-code" autoFocus autoComplete="off" maxLength={CODE_LENGTH} value={asked} onChange={setAsked} />
        {refusal && (
          <p className="wt-error" role="alert">
            {refusal}
          </p>
        )}
        <Button type="primary" htmlType="submit" disabled={!isWhole}>
          {t('Join')}
        </Button>
      </form>
    </Dialog>
  )
}
