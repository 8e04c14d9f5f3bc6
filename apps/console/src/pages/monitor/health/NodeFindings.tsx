import type { Finding, FindingState, NodeHealth } from '@sallyport/contract/resources/monitor/doctor.ts'
import { Notice } from '../../../design/Notice.tsx'
import { Status, type Tone } from '../../../design/Status.tsx'
import { When } from '../../../generic/cells/When.tsx'
import { t } from '../../../lib/i18n.ts'
import styles from './health.module.css'

/** The findings of one node: what is wrong first, and what is not below a line to open. */
export function NodeFindings({ node }: { node: NodeHealth }) {
  const { name, state, date_finished, findings, done, total } = node
  const isBad = ({ state: one }: Finding) => one === 'error' || one === 'warning'
  const bad = findings.filter(isBad)
  const rest = findings.filter((one) => !isBad(one))
  return (
    <section className="panel" aria-label={name}>
      <h2>
        {name}
        {date_finished && (
          <small className="quiet">
            <When value={date_finished} />
          </small>
        )}
      </h2>
      {state === 'running' && <progress aria-label={t('Progress')} value={done} max={total} />}
      {state === 'unreachable' && (
        <Notice
          tone="danger"
          role="status"
          title={t(
            'This node does not answer the others. Look whether it runs, and whether the port between nodes is open.',
          )}
        />
      )}
      {state === 'never' && <p className="inside quiet">{t('Not run since the last start')}</p>}
      {state === 'done' && bad.length === 0 && <p className="inside">{t('Nothing is wrong on this node.')}</p>}
      <Findings findings={bad} />
      {rest.length > 0 && (
        <details open={state === 'done' && bad.length === 0}>
          <summary>
            {t('{{fine}} fine, {{unknown}} not checked', {
              fine: rest.filter((one) => one.state === 'ok').length,
              unknown: rest.filter((one) => one.state === 'not checked').length,
            })}
          </summary>
          <Findings findings={rest} />
        </details>
      )}
    </section>
  )
}

const TONES: Readonly<Record<FindingState, Tone>> = {
  error: 'danger',
  warning: 'warning',
  'not checked': 'quiet',
  ok: 'good',
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  const words: Record<FindingState, string> = {
    error: t('Wrong'),
    warning: t('Look at it'),
    'not checked': t('Not checked'),
    ok: t('Fine'),
  }
  if (!findings.length) return null
  return (
    <ul className={styles.healthFindings}>
      {findings.map(({ name, title, subject, state, words: what, mend }, at) => (
        // A check may say several things of one subject.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list comes as a whole
        <li key={`${name} ${subject} ${at}`}>
          <Status tone={TONES[state]}>{words[state]}</Status>
          <div>
            <strong>
              {title}
              {subject && <span className="quiet"> {subject}</span>}
            </strong>
            <p>{what}</p>
            {mend && <p className={styles.mend}>{mend}</p>}
          </div>
        </li>
      ))}
    </ul>
  )
}
