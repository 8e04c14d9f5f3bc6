import { Button } from 'antd'
import { useCallback, useEffect, useState } from 'react'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { Connection } from './connection.ts'

/** A row of {tg}/sessions/. */
interface OwnSession {
  id: string
  /** `hostname(ip)` */
  asset: string
  asset_id: string
  /** `name(username)` */
  system_user: string
  system_user_id: string
  protocol: string
  is_waiting: boolean
}

export interface WaitingSessionsProps {
  /** Those that this window has anyway. */
  known: readonly string[]
  onResume: (connection: Connection, sessionId: string) => void
}

const name = (text: string) => text.replace(/\([^()]*\)$/, '')

/**
 * Sessions of one's own that nobody is at: begun in a window that was closed, or on another device.
 */
export function WaitingSessions({ known, onResume }: WaitingSessionsProps) {
  const [sessions, setSessions] = useState<OwnSession[]>([])
  const load = useCallback(() => {
    api.get<OwnSession[]>('/koko/sessions/', { quiet: true }).then(setSessions, () => setSessions([]))
  }, [])
  useEffect(() => {
    load()
    addEventListener('focus', load)
    return () => removeEventListener('focus', load)
  }, [load])

  const waiting = sessions.filter(({ id, is_waiting }) => is_waiting && !known.includes(id))
  const drop = (id: string) => setSessions((all) => all.filter((one) => one.id !== id))
  if (!waiting.length) return null
  return (
    <section className="wt-waiting" aria-label={t('Sessions that wait for you')}>
      <strong>{t('Sessions that wait for you')}</strong>
      <ul>
        {waiting.map(({ id, asset, asset_id, system_user, system_user_id, protocol }) => (
          <li key={id}>
            <span>{t('{{asset}} as {{systemUser}}', { asset: name(asset), systemUser: name(system_user) })}</span>
            <Button
              size="small"
              type="primary"
              onClick={() => {
                drop(id)
                onResume(
                  {
                    targetId: asset_id,
                    targetName: name(asset),
                    systemUserId: system_user_id,
                    systemUserName: name(system_user),
                    protocol,
                  },
                  id,
                )
              }}
            >
              {t('Go on')}
            </Button>
            <Button size="small" onClick={() => void api.delete(`/koko/sessions/${id}/`).then(() => drop(id), load)}>
              {t('End it')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
