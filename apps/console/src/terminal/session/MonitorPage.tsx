import { hasPermission, PERMISSION, permissionBits } from '@sallyport/contract/access.ts'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { confirmDanger, showSuccess } from '../../design/feedback.tsx'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { readPreferences } from '../screen/preferences.ts'
import { openScreen } from '../screen/screen.ts'
import { openTerminalSocket } from '../screen/socket.ts'
import { pageTitle, type Viewer, watermarkText } from '../viewer.ts'
import type { SessionRow } from './session-row.ts'
import { Watermark } from './Watermark.tsx'

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
  const [over, setOver] = useState(false)

  useEffect(() => {
    document.title = pageTitle(viewer)
    api
      .get<SessionRow>(
        ticketId
          ? `/api/v1/tickets/tickets/${encodeURIComponent(ticketId)}/session/`
          : `/api/v1/terminal/sessions/${encodeURIComponent(sessionId)}/`,
        { quiet: true },
      )
      .then(setRow, (failure: unknown) => setError(errorText(failure)))
  }, [viewer, sessionId, ticketId])

  useEffect(() => {
    const screen = openScreen(box.current as HTMLDivElement, readPreferences(), 'read-only')
    const socket = openTerminalSocket(
      { type: 'shareroom', target_id: sessionId },
      {
        onOutput: screen.write,
        onConnect: screen.size,
        onSession: () => {},
        onResize: screen.follow,
        onError: setError,
        onClosed(by) {
          setOver(true)
          screen.write(
            `\r\n\x1b[0;33m${by === 'ended' ? t('The session has ended.') : t('The connection was lost.')}\x1b[0m\r\n`,
          )
        },
      },
    )
    return () => {
      socket.close()
      screen.dispose()
    }
  }, [sessionId])

  const lock = async (locked: boolean) => {
    await api.post(`/api/v1/terminal/sessions/${encodeURIComponent(sessionId)}/${locked ? 'lock' : 'unlock'}/`, {})
    setRow((now) => now && { ...now, is_locked: locked })
  }
  const { profile } = viewer
  const mayTerminate =
    ticketId !== null || hasPermission(permissionBits(profile.role, profile.current_org_roles ?? []), PERMISSION.admin)
  const terminate = () =>
    confirmDanger({
      title: t('Terminate'),
      content: t('The session ends at once for the person who works in it. Terminate it?'),
      okText: t('Terminate'),
      onOk: async () => {
        await api.post(`/api/v1/terminal/tasks/kill-session${ticketId ? '-for-ticket' : ''}/`, [sessionId])
        showSuccess(t('The session is being terminated'))
      },
    })

  return (
    <main className="wt">
      <header className="wt-info">
        <dl>
          <dt>{t('User')}</dt>
          <dd>{row?.user}</dd>
          <dt>{t('Asset')}</dt>
          <dd>{row?.asset}</dd>
          <dt>{t('System user')}</dt>
          <dd>{row?.system_user}</dd>
          <dt>{t('Protocol')}</dt>
          <dd>{row?.protocol}</dd>
        </dl>
        {!ticketId && row?.can_terminate && !over && (
          <Button size="small" onClick={() => void lock(!row.is_locked)}>
            {row.is_locked ? t('Unlock input') : t('Lock input')}
          </Button>
        )}
        {mayTerminate && row?.can_terminate && !over && (
          <Button danger size="small" onClick={terminate}>
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
        {row && watermarkText(viewer, row.asset) && <Watermark text={watermarkText(viewer, row.asset) as string} />}
      </div>
    </main>
  )
}
