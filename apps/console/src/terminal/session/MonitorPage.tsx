import { hasPermission, PERMISSION, permissionBits } from '@sallyport/contract/access.ts'
import { WATCHED } from '@sallyport/contract/socket/desktop.ts'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { protocolName } from '../../lib/protocol-name.ts'
import { NothingHere } from '../NothingPage.tsx'
import { CLOSED_WORDS, notice } from '../pane/notice.ts'
import { type FadingNotice, useFadingNotice } from '../pane/use-fading-notice.ts'
import { Watermark } from '../pane/Watermark.tsx'
import { readPreferences } from '../screen/preferences.ts'
import { openScreen } from '../screen/screen.ts'
import { openTerminalSocket } from '../screen/socket.ts'
import { pageTitle, type Viewer, watermarkOf } from '../viewer.ts'
import { watchedDesktop } from './desktop/watched-desktop.ts'
import { SessionFacts } from './SessionFacts.tsx'
import type { SessionRow } from './session-row.ts'

interface MonitorPageProps {
  viewer: Viewer
  sessionId: string
  /**
   * The ticket that let the session in: who decided on it may watch and end the session, though not
   * list sessions.
   */
  ticketId: string | null
}

/** Live, read-only view of somebody's session, with the size of the watched terminal. */
export function MonitorPage({ viewer, sessionId, ticketId }: MonitorPageProps) {
  const box = useRef<HTMLDivElement>(null)
  const [row, setRow] = useState<SessionRow>()
  const [error, setError] = useState<string>()
  // Nothing is known of a session that is not there, or may not be seen.
  const [refusal, setRefusal] = useState<string>()
  /** The last message to those in the session. */
  const [fading, setFading] = useState<FadingNotice>({ notice: undefined, isLast: false })
  useFadingNotice(fading, setFading)
  const isOver = useWatchedScreen(box, sessionId, setError, setFading)

  useEffect(() => {
    document.title = pageTitle(viewer)
    api
      .get<SessionRow>(
        ticketId
          ? `/api/v1/tickets/tickets/${encodeURIComponent(ticketId)}/session/`
          : `/api/v1/terminal/sessions/${encodeURIComponent(sessionId)}/`,
        { quiet: true },
      )
      .then(setRow, (failure: unknown) => setRefusal(errorText(failure)))
  }, [viewer, sessionId, ticketId])

  const lock = async (locked: boolean) => {
    await api.post(`/api/v1/terminal/sessions/${encodeURIComponent(sessionId)}/${locked ? 'lock' : 'unlock'}/`, {})
    setRow((now) => now && { ...now, is_locked: locked })
  }
  const isRunning = row?.can_terminate && !isOver
  const watermark = row && watermarkOf(viewer, row.asset)
  if (refusal)
    return (
      <main className="wt">
        <NothingHere why={refusal} />
      </main>
    )
  return (
    <main className="wt">
      <header className="wt-info">
        <SessionFacts
          user={row?.user}
          asset={row?.asset}
          systemUser={row?.system_user}
          other={{ label: t('Protocol'), value: row && protocolName(row.protocol) }}
        />
        {isRunning && !ticketId && (
          <Button size="small" onClick={() => void lock(!row.is_locked)}>
            {row.is_locked ? t('Unlock input') : t('Lock input')}
          </Button>
        )}
        {isRunning && (ticketId !== null || isAdministrator(viewer)) && (
          <Button danger size="small" onClick={() => terminate(sessionId, ticketId)}>
            {t('Terminate')}
          </Button>
        )}
      </header>
      {error && (
        <p className="wt-error" role="alert">
          {error}
        </p>
      )}
      <div className="wt-panes">
        <div className="wt-screen" ref={box} />
        {fading.notice && (
          <p className="pane-notice" role="status">
            {fading.notice}
          </p>
        )}
        {watermark && <Watermark {...watermark} />}
      </div>
    </main>
  )
}

/** Shows in `box` what the person in the session sees; returns whether the session is over. */
function useWatchedScreen(
  box: RefObject<HTMLDivElement | null>,
  sessionId: string,
  onError: (text: string) => void,
  onFading: (fading: FadingNotice) => void,
): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const desktop = watchedDesktop(box.current as HTMLDivElement, (bytes) => socket.send(bytes))
    const screen = openScreen(box.current as HTMLDivElement, readPreferences(), 'read-only')
    const socket = openTerminalSocket({ type: 'shareroom', target_id: sessionId }, WATCHED, {
      onOutput: (output) =>
        desktop.isOn && typeof output !== 'string' ? desktop.receive(output) : screen.write(output),
      onConnect: screen.size,
      onSession: () => {},
      onResize: screen.follow,
      onError,
      on: {
        DESKTOP_START() {
          screen.dispose()
          desktop.begin()
        },
        DESKTOP_NOTICE: ({ text, urgency }) => onFading({ notice: text, isLast: urgency === 'last' }),
      },
      onClosed(by) {
        setOver(true)
        if (desktop.isOn) onError(CLOSED_WORDS[by]())
        else screen.write(notice(CLOSED_WORDS[by]()))
      },
    })
    return () => {
      socket.close()
      desktop.end()
      screen.dispose()
    }
  }, [box, sessionId, onError, onFading])
  return isOver
}

const isAdministrator = ({ profile }: Viewer) =>
  hasPermission(permissionBits(profile.role, profile.current_org_roles ?? []), PERMISSION.admin)

function terminate(sessionId: string, ticketId: string | null): void {
  confirmDanger({
    title: t('Terminate this session?'),
    content: t('It ends at once for the person who works in it. Anything running in it will be interrupted.'),
    okText: t('Terminate'),
    onOk: async () => {
      await api.post(`/api/v1/terminal/tasks/kill-session${ticketId ? '-for-ticket' : ''}/`, [sessionId])
      showSuccess(t('The session is being terminated'))
    },
  })
}
