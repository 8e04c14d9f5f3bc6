import { PERMISSION } from '@sallyport/contract/access.ts'
import {
  accessReview,
  type RecordedLine,
  type ReviewRecord as Signed,
} from '@sallyport/contract/resources/reviews/access-review.ts'
import { useQuery } from '@tanstack/react-query'
import { PrinterIcon } from 'lucide-react'
import { useParams } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { ValuesTable } from '../../generic/cells/ValuesTable.tsx'
import { type Fact, Facts } from '../../generic/detail/Facts.tsx'
import { api } from '../../lib/api.ts'
import { formatDate, formatNumber } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { nameOf, namesOf } from '../../lib/name-of.ts'
import { keys } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { verdictOf } from './review-state.ts'
import styles from './reviews.module.css'

export const routes = places({
  name: 'AccessReviewRecord',
  menu: 'audits',
  title: msg('Record of an access review'),
  path: '/reviews/:id/record',
  active: '/reviews',
  hidden: true,
  bits: PERMISSION.admin | PERMISSION.audit,
})

/** Lines on paper; a larger record is read as the file. */
const MOST_LINES = 5000

/** The signed record of a review, to be read, printed and put on file. */
export function ReviewRecord({ title }: PageProps) {
  const { id = '' } = useParams()
  const path = `${accessReview.path}${encodeURIComponent(id)}/record/`
  const answer = useQuery({
    queryKey: keys.one(path, id),
    queryFn: async ({ signal }) => {
      const { body, signature } = await api.get<{ body: string; signature: string }>(path, { signal, quiet: true })
      return { record: JSON.parse(body) as Signed, signature, sha256: await sha256Of(body) }
    },
  })
  const { data } = answer
  return (
    <PageFrame
      title={data ? t('Access review: {{name}}', { name: data.record.name }) : title}
      actions={
        data && (
          <Button icon={<PrinterIcon />} onClick={() => window.print()}>
            {t('Print')}
          </Button>
        )
      }
    >
      {answer.error && <LoadFailed error={answer.error} onRetry={() => void answer.refetch()} />}
      {answer.isLoading && <Skeleton lines={8} />}
      {data && <Content {...data} />}
    </PageFrame>
  )
}

/** The hash of the signed text; empty without HTTPS, where browsers make none. */
async function sha256Of(text: string): Promise<string> {
  if (!crypto.subtle) return ''
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function Content({ record, signature, sha256 }: { record: Signed; signature: string; sha256: string }) {
  const { lines } = record
  return (
    <div className={styles.sheet}>
      <section className="panel">
        <div className="inside">
          <Facts facts={factsOf(record)} />
        </div>
      </section>
      <section className="panel">
        <h2>{t('Decisions')}</h2>
        <div className="inside">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
          <section className={styles.wide} tabIndex={0} aria-label={t('Decisions')}>
            <ValuesTable
              className={styles.record}
              titles={[
                t('Who@@grant'),
                t('Permission'),
                t('Gives access to'),
                t('Last use'),
                t('Decision@@review'),
                t('Decided by'),
                t('Reason'),
              ]}
            >
              {lines.slice(0, MOST_LINES).map((line) => (
                <Line key={line.id} {...line} />
              ))}
            </ValuesTable>
          </section>
          {lines.length > MOST_LINES && (
            <p>{t('and {{count}} more, in the file', { count: lines.length - MOST_LINES })}</p>
          )}
        </div>
      </section>
      <section className="panel">
        <h2>{t('Signature')}</h2>
        <div className="inside">
          <p>
            {t('The file of this record is signed with the key of the audit log, whose public half auditors have.')}
          </p>
          <Facts
            facts={[
              ...(sha256 ? [{ field: 'sha256', label: 'SHA-256', content: <code>{sha256}</code> }] : []),
              { field: 'signature', label: t('Signature'), content: <code>{signature}</code> },
            ]}
          />
          <div className={styles.signatures}>
            <span>{t('Name, date, signature of the reviewer')}</span>
            <span>{t('Name, date, signature of the auditor')}</span>
          </div>
        </div>
      </section>
    </div>
  )
}

function factsOf(record: Signed): Fact[] {
  const { organization, author, reviewers, decided_by, undecided, date_start, date_ended, ended_by, totals } = record
  const facts: readonly (readonly [field: string, label: string, content: string])[] = [
    ['organization', t('Organization'), organization.name],
    ['author', t('Set up by'), nameOf(author)],
    [
      'reviewers',
      t('Reviewers'),
      namesOf(reviewers).join(', ') ||
        (decided_by === 'creators' ? t('Who made each permission') : t('The administrators of the organization')),
    ],
    ['date_start', t('Began'), formatDate(date_start)],
    ['date_ended', t('Ended@@review'), `${formatDate(date_ended)}, ${nameOf(ended_by)}`],
    [
      'undecided',
      t('Grants without a decision'),
      undecided === 'withdraw' ? t('Are withdrawn at the end') : t('Stay, and are reported'),
    ],
    ['lines', t('Grants'), formatNumber(record.lines.length)],
    ...Object.entries(totals).map(
      ([verdict, amount]) =>
        [verdict, verdictOf({ verdict: verdict as keyof typeof totals }).words, formatNumber(amount)] as const,
    ),
    ['comment', t('Comment'), record.comment],
  ]
  return facts.flatMap(([field, label, content]) => (content ? [{ field, label, content }] : []))
}

function Line(line: RecordedLine) {
  return (
    <tr>
      <th scope="row">
        {line.subject_kind === 'group'
          ? t('{{name}} ({{count|person|people}})', { name: line.subject_name, count: line.members_amount })
          : line.subject_name}
      </th>
      <td>{line.permission_name}</td>
      <td>{grantInWords(line)}</td>
      <td>{line.last_use ? formatDate(line.last_use) : t('Never@@use')}</td>
      <td>{verdictOf(line).words}</td>
      <td>
        {nameOf(line.decided_by)}
        {line.decided_by && line.date_decided && <div className="quiet">{formatDate(line.date_decided)}</div>}
      </td>
      <td>{line.comment}</td>
    </tr>
  )
}

/** Nodes and targets, and as whom. */
function grantInWords({ nodes, targets, system_users }: RecordedLine): string {
  const names = [...nodes.names, ...targets.names]
  const more = nodes.amount + targets.amount - names.length
  const where = [...names, ...(more > 0 ? [t('{{count}} more', { count: more })] : [])].join(', ')
  return system_users.names.length ? `${where} (${system_users.names.join(', ')})` : where
}

export const pages = { AccessReviewRecord: ReviewRecord }
