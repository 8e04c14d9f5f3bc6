import {
  FORWARDING_PATH,
  type ForwardingState,
  type ForwardingTarget,
} from '@sallyport/contract/resources/audits/forwarding.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { showSuccess } from '../../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { Status } from '../../../design/Status.tsx'
import { When } from '../../../generic/cells/When.tsx'
import { api, errorText } from '../../../lib/api.ts'
import { formatDuration } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import styles from './evidence.module.css'

const POLL_MS = 5000
/** A system that is so far behind is worth a look. */
const LATE_SECONDS = 60
/** Set on the server, by file or environment (docs/operate-siem.md). */
const SETTING: Readonly<Record<ForwardingTarget, string>> = {
  syslog: 'SALLYPORT_SETTING_SYSLOG_ADDR',
  webhook: 'SALLYPORT_SETTING_AUDIT_WEBHOOK_URL',
}

/** Each system that may get events, with its state; read again while somebody looks at it. */
export function Forwarding() {
  const read = useQuery({
    queryKey: keys.list(FORWARDING_PATH, {}),
    queryFn: ({ signal }) => api.get<ForwardingState[]>(FORWARDING_PATH, { signal, quiet: true }),
    refetchInterval: POLL_MS,
  })
  if (read.data) return read.data.map((state) => <System key={state.target} state={state} />)
  if (read.isLoadingError) return <LoadFailed error={read.error} onRetry={() => void read.refetch()} />
  return <Skeleton lines={8} />
}

function System({ state }: { state: ForwardingState }) {
  const { target, is_on, address, form, error } = state
  const title = target === 'syslog' ? t('Syslog or SIEM') : t('Webhook')
  return (
    <section className={`panel ${styles.evidence}`} aria-label={title}>
      <h2>
        {title} <StateOf state={state} />
      </h2>
      <div className="inside">
        {is_on ? (
          <>
            <p className="quiet">
              {address} · {form}
            </p>
            <Figures state={state} />
            {error && (
              <p className="fault" role="status">
                {t('The last delivery failed: {{error}}', { error })} <When value={state.date_failed} />
              </p>
            )}
            {address && <TestEvent target={target} />}
          </>
        ) : (
          <p>
            {t('No system is set. Name it on all nodes, and start them again:')} <code>{SETTING[target]}</code>
          </p>
        )}
      </div>
    </section>
  )
}

function StateOf({ state: { is_on, error, lag_seconds } }: { state: ForwardingState }) {
  if (!is_on) return <Status tone="quiet">{t('Off')}</Status>
  if (error) return <Status tone="danger">{t('Does not answer')}</Status>
  if (lag_seconds > LATE_SECONDS) return <Status tone="warning">{t('Behind')}</Status>
  return <Status tone="good">{t('Up to date')}</Status>
}

function Figures({ state }: { state: ForwardingState }) {
  const { waiting, capacity, lag_seconds, sent, dropped, date_sent } = state
  const figures = [
    { name: t('Waiting@@events'), value: t('{{count}} of {{most}}', { count: waiting, most: capacity }) },
    { name: t('Behind by'), value: waiting ? formatDuration(lag_seconds) : t('None@@delay') },
    { name: t('Sent@@events'), value: sent },
    { name: t('Dropped'), value: <span className={dropped ? 'bad' : undefined}>{dropped}</span> },
    { name: t('Last sent'), value: date_sent ? <When value={date_sent} /> : t('Never@@sent') },
  ]
  return (
    <dl className={styles.evidenceFigures}>
      {figures.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Tries the way there, past what waits. */
function TestEvent({ target }: { target: ForwardingTarget }) {
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  const send = async () => {
    setBusy(true)
    setFault('')
    try {
      const { msg } = await api.post<{ msg: string }>(`${FORWARDING_PATH}test/`, { target }, { quiet: true })
      showSuccess(msg)
    } catch (error) {
      setFault(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className={styles.testEvent}>
      <Button loading={isBusy} onClick={() => void send()}>
        {t('Send a test event')}
      </Button>
      <span className="fault" role="status">
        {fault}
      </span>
    </div>
  )
}
