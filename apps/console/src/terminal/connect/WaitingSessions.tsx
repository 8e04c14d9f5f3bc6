import { ChevronDownIcon, ChevronUpIcon } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showError } from '../../design/dialogs/feedback.tsx'
import { api, errorText } from '../../lib/api.ts'
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
  /** What it is shown in, if not in a terminal. */
  view?: 'workbench'
  is_waiting: boolean
}

export interface WaitingSessionsProps {
  /** Those that this window has anyway. */
  known: readonly string[]
  onResume: (connection: Connection, sessionId: string) => void
}

/** How long one that was ended meanwhile may still be offered. */
const RELOAD_MS = 15_000

const name = (text: string) => text.replace(/\([^()]*\)$/, '')

const readSessions = () => api.get<OwnSession[]>('/koko/sessions/', { quiet: true })

/**
 * Sessions of one's own that nobody is at: begun in a window that was closed, or on another device.
 */
export function WaitingSessions({ known, onResume }: WaitingSessionsProps) {
  const [sessions, setSessions] = useState<OwnSession[]>([])
  /** On a phone several are one line until they are asked for. */
  const [isOpen, setOpen] = useState(false)
  const load = useCallback(() => {
    readSessions().then(setSessions, () => setSessions([]))
  }, [])
  const waiting = sessions.filter(({ id, is_waiting }) => is_waiting && !known.includes(id))
  const isOffering = waiting.length > 0
  useEffect(() => {
    load()
    addEventListener('focus', load)
    return () => removeEventListener('focus', load)
  }, [load])
  useEffect(() => {
    if (!isOffering) return
    const timer = setInterval(load, RELOAD_MS)
    return () => clearInterval(timer)
  }, [load, isOffering])

  const drop = (id: string) => setSessions((all) => all.filter((one) => one.id !== id))
  const goOn = async ({ id, asset, asset_id, system_user, system_user_id, protocol, view }: OwnSession) => {
    try {
      const now = await readSessions()
      if (!now.some((one) => one.id === id)) {
        setSessions(now)
        return showError(t('The session has ended in the meantime.'))
      }
      drop(id)
      const target = { targetId: asset_id, targetName: name(asset), protocol, view }
      onResume({ ...target, systemUserId: system_user_id, systemUserName: name(system_user) }, id)
    } catch (error) {
      showError(errorText(error))
    }
  }
  if (!waiting.length) return null
  return (
    <section
      className="wt-waiting"
      aria-label={t('Sessions waiting for you')}
      data-several={waiting.length > 1}
      data-open={isOpen}
    >
      <strong>{t('Sessions waiting for you')}</strong>
      <Button
        type="text"
        size="small"
        className="wt-waiting-count"
        icon={isOpen ? <ChevronUpIcon /> : <ChevronDownIcon />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t('Sessions waiting for you: {{count}}', { count: waiting.length })}
      </Button>
      <ul>
        {waiting.map((one) => (
          <li key={one.id}>
            <span>
              {t('{{asset}} as {{systemUser}}', { asset: name(one.asset), systemUser: name(one.system_user) })}
            </span>
            <Button size="small" type="primary" onClick={() => void goOn(one)}>
              {t('Resume')}
            </Button>
            <Button
              size="small"
              onClick={() => void api.delete(`/koko/sessions/${one.id}/`).then(() => drop(one.id), load)}
            >
              {t('End it')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
