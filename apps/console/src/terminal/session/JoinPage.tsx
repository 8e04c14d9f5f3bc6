import { Input, Modal } from 'antd'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import { readPreferences } from '../screen/preferences.ts'
import { openScreen, type Screen } from '../screen/screen.ts'
import { openTerminalSocket, type TerminalSocket } from '../screen/socket.ts'
import { pageTitle, type Viewer, watermarkText } from '../viewer.ts'
import { CLOSED_WORDS, notice } from './notice.ts'
import { EMPTY_ROOM, roomAfter } from './room.ts'
import { SideMenu } from './SideMenu.tsx'
import { Watermark } from './Watermark.tsx'

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
  const { line, room, isOpen, ...question } = useSharedSession(shareId, code, screen)

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

  const watermark = watermarkText(viewer, '')
  return (
    <main className="wt">
      <div className="wt-panes">
        <section className="wt-pane" aria-label={t('Terminal')}>
          <div className="wt-screen" ref={box} />
          <SideMenu room={room} mayShare={false} onShare={() => {}} onShared={() => {}} />
          {watermark && <Watermark text={watermark} />}
        </section>
      </div>
      <CodeDialog open={!isOpen} {...question} />
    </main>
  )
}

/** The code as it is typed, and the session that it opens on the screen. */
function useSharedSession(shareId: string, code: string | null, screen: RefObject<Screen | null>) {
  const line = useRef<TerminalSocket>(undefined)
  const [asked, setAsked] = useState(code ?? '')
  const [trying, setTrying] = useState(code)
  const [refusal, setRefusal] = useState<string>()
  const [joined, setJoined] = useState(false)
  const [room, setRoom] = useState(EMPTY_ROOM)

  useEffect(() => {
    if (!trying) return
    let admitted = false
    let said: string | undefined
    const socket = openTerminalSocket(
      { type: 'share', target_id: shareId },
      {
        onOutput: (output) => admitted && screen.current?.write(output),
        onConnect: () => ({ ...(screen.current?.size() ?? { cols: 80, rows: 24 }), code: trying }),
        onSession() {
          admitted = true
          setJoined(true)
          setRefusal(undefined)
          screen.current?.focus()
        },
        onResize: (size) => screen.current?.follow(size),
        onMessage: (type, data) => setRoom((now) => roomAfter(now, type, data)),
        onError(text) {
          said = text
        },
        onClosed(by) {
          line.current = undefined
          setTrying(null)
          setRoom(EMPTY_ROOM)
          if (admitted) {
            screen.current?.write(notice(said ?? CLOSED_WORDS[by]()))
          } else {
            setAsked('')
            setRefusal(said ?? (by === 'unreached' ? CLOSED_WORDS[by]() : t('The connection was lost.')))
          }
        },
      },
    )
    line.current = socket
    return () => socket.close()
  }, [trying, shareId, screen])
  return { line, room, isOpen: joined || Boolean(trying), asked, setAsked, refusal, join: setTrying }
}

interface CodeDialogProps {
  open: boolean
  asked: string
  setAsked: (code: string) => void
  refusal: string | undefined
  join: (code: string) => void
}

function CodeDialog({ open, asked, setAsked, refusal, join }: CodeDialogProps) {
  const isWhole = asked.trim().length === CODE_LENGTH
  return (
    <Modal open={open} title={t('Code')} closable={false} footer={null} width={360}>
      <form
        className="wt-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (isWhole) join(asked.trim())
        }}
      >
        <label htmlFor="wt-code">{t('The code that came with the link')}</label>
        <Input
          id="wt-code"
          autoFocus
          autoComplete="off"
          maxLength={CODE_LENGTH}
          value={asked}
          onChange={({ target }) => setAsked(target.value)}
        />
        {refusal && (
          <p className="wt-error" role="alert">
            {refusal}
          </p>
        )}
        <Button type="primary" htmlType="submit" disabled={!isWhole}>
          {t('Join')}
        </Button>
      </form>
    </Modal>
  )
}
