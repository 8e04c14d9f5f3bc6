import type {
  MoveKind,
  MoveProof,
  MoveRemark,
  MoveReport,
} from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { DownloadIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { Notice } from '../../design/Notice.tsx'
import { Status } from '../../design/Status.tsx'
import { t } from '../../lib/i18n.ts'
import { MonitorTable } from '../ops/monitor/MonitorTable.tsx'
import styles from './moving.module.css'
import { stateWords, TONES, taskWords } from './run-words.ts'
import { saveRunFile } from './use-move.ts'

type Latest = NonNullable<MoveReport['latest']>

/** The result of the newest run. */
export function Outcome({ latest }: { latest: Latest }) {
  const { task, state, fault, version, source, result } = latest
  const isTrial = (task === 'try' || task === 'try_take_back') && state === 'done'
  const title = `${taskWords(task)}: ${version ? t('JumpServer {{version}}', { version }) : source}`
  return (
    <section className={`panel ${styles.outcome}`} aria-label={t('Result')}>
      <h2>
        <span>
          {title} <Status tone={TONES[state]}>{stateWords(state)}</Status>
        </span>
        <span className={styles.buttons}>
          {latest.has_report && (
            <Button icon={<DownloadIcon />} onClick={() => void saveRunFile(latest, 'report')}>
              {t('Whole report')}
            </Button>
          )}
          {latest.has_differences && (
            <Button icon={<DownloadIcon />} onClick={() => void saveRunFile(latest, 'differences')}>
              {t('Rights that differ')}
            </Button>
          )}
        </span>
      </h2>
      {(fault || isTrial || result.proof) && (
        <div className={`inside ${styles.source}`}>
          {fault && <Notice tone="danger" title={fault} role="note" />}
          {isTrial && <Notice tone="info" title={t('It was only tried: nothing was written.')} role="note" />}
          {result.proof && <Proof proof={result.proof} />}
        </div>
      )}
      {result.counts && (
        <MonitorTable
          label={t('What is there')}
          rows={result.counts}
          keyOf={({ label }) => label}
          none=""
          columns={[
            { title: t('Kind'), draw: ({ label }) => label },
            { title: t('Rows'), isNumber: true, draw: ({ count }) => count.toLocaleString() },
          ]}
        />
      )}
      {result.kinds && <Kinds kinds={result.kinds} />}
      {result.taken && (
        <MonitorTable
          label={t('What is taken back')}
          rows={result.taken}
          keyOf={({ label }) => label}
          none={t('Nothing')}
          columns={[
            { title: t('Kind'), draw: ({ label }) => label },
            { title: t('Removed@@rows'), isNumber: true, draw: ({ removed }) => removed.toLocaleString() },
            { title: t('Stay@@rows'), isNumber: true, draw: ({ stays }) => stays.toLocaleString() },
          ]}
        />
      )}
    </section>
  )
}

function Proof({ proof: { people, rights, lost, gained, causes } }: { proof: MoveProof }) {
  const compared = t('{{rights}} rights of {{people}} users were compared.', { rights, people })
  return (
    <Notice
      tone={causes.length ? 'warning' : 'good'}
      role="note"
      title={
        causes.length
          ? t('Users do not reach the same as there: {{lost}} rights are lost, {{gained}} are gained.', {
              lost,
              gained,
            })
          : t('Users reach the same as there.')
      }
    >
      {compared}
      {causes.length > 0 && (
        <ul>
          {causes.map(({ words, count }) => (
            <li key={words}>
              {words}: {count}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  )
}

function Kinds({ kinds }: { kinds: readonly MoveKind[] }) {
  return (
    <MonitorTable
      label={t('What comes')}
      rows={kinds}
      keyOf={({ label }) => label}
      none={t('Nothing')}
      columns={[
        {
          title: t('Kind'),
          draw: (kind) => (
            <>
              {kind.label}
              <Remarks title={t('Changes on the way')} remarks={kind.changed} />
              <Remarks title={t('Stays behind')} remarks={kind.stays} />
            </>
          ),
        },
        { title: t('Read@@rows'), isNumber: true, draw: ({ read }) => read.toLocaleString() },
        { title: t('New@@rows'), isNumber: true, draw: ({ added }) => added.toLocaleString() },
        { title: t('Updated@@rows'), isNumber: true, draw: ({ updated }) => updated.toLocaleString() },
        { title: t('As before'), isNumber: true, draw: ({ same }) => same.toLocaleString() },
        { title: t('Stay behind'), isNumber: true, draw: ({ behind }) => behind.toLocaleString() },
      ]}
    />
  )
}

function Remarks({ title, remarks }: { title: string; remarks: readonly MoveRemark[] }) {
  if (!remarks.length) return null
  return (
    <details className={styles.remarks}>
      <summary>
        {title} ({remarks.reduce((sum, { count }) => sum + count, 0)})
      </summary>
      <ul>
        {remarks.flatMap(({ count, lines }) => {
          const others = count - lines.reduce((sum, { names }) => sum + names.length, 0)
          return lines.map(({ words, names }, at) => (
            <li key={words}>
              {words}
              {names.length > 0 && (
                <>
                  : <bdi>{names.join(', ')}</bdi>
                </>
              )}
              {at === lines.length - 1 && others > 0 && (
                <small className="quiet"> {names.length ? t('… and {{count}} more', { count: others }) : count}</small>
              )}
            </li>
          ))
        })}
      </ul>
    </details>
  )
}
