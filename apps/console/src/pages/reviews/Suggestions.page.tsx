import {
  type AccessProposal,
  accessProposal,
  type CoachCoverage,
  type ProposedChange,
} from '@sallyport/contract/resources/reviews/access-proposal.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { ask, showSuccess } from '../../design/dialogs/feedback.tsx'
import { LongInput } from '../../design/inputs/LongInput.tsx'
import { Notice } from '../../design/Notice.tsx'
import { Progress } from '../../design/Progress.tsx'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { When } from '../../generic/cells/When.tsx'
import { ChangePreview } from '../../generic/change-preview/ChangePreview.tsx'
import type { ChangeCall } from '../../generic/change-preview/change.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { api } from '../../lib/api.ts'
import { formatDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import type { PageProps } from '../page-props.ts'
import styles from './reviews.module.css'
import { changeInWords, factsOf, findingInWords, kindInWords, stateOf } from './suggestion-words.ts'

export const routes = places({
  name: 'Suggestions',
  menu: 'perms',
  order: 40,
  title: msg('Suggestions'),
  path: '/perms/suggestions',
})

const COVERAGE = `${accessProposal.path}coverage/`
const MAX_CHARACTERS = 1024
/** While it is looked for them, the page asks again after so long. */
const REFRESH_MS = 2000

const PAGES: Readonly<Record<string, string>> = {
  asset_permission: 'AssetPermissionDetail',
  application_permission: 'ApplicationPermissionDetail',
  user: 'UserDetail',
}
const objectAddress = ({ object_type, object_id }: AccessProposal) =>
  PAGES[object_type] && addressOf(PAGES[object_type] ?? '', { id: object_id })

/** The call that a suggestion proposes, to be tried before it is made. */
function callOf({ change }: AccessProposal): ChangeCall | undefined {
  const call = change as ProposedChange | null
  return call ? { method: 'PATCH', address: `${call.path}${call.id}/`, body: call.body } : undefined
}

/** The call has shown why it failed. */
const post = (row: AccessProposal, word: string, body: object = {}) =>
  api.post(`${accessProposal.path}${row.id}/${word}/`, body)

async function apply(row: AccessProposal): Promise<void> {
  const isSure = await ask({
    title: t('{{change}}: {{name}}?', { change: changeInWords(row), name: row.object_name }),
    content: (
      <>
        <p>{findingInWords(row)}</p>
        <p>{t('It is changed as by hand, with its row in the operation log. Sessions that lose their right end.')}</p>
        <ChangePreview call={callOf(row)} />
      </>
    ),
    okText: t('Apply'),
  })
  if (!isSure) return
  await post(row, 'apply')
  showSuccess(t('Applied'))
}

async function dismiss(row: AccessProposal): Promise<void> {
  let reason = ''
  const isSure = await ask({
    title: t('Dismiss this suggestion for {{name}}?', { name: row.object_name }),
    content: (
      <LongInput
        autoFocus
        aria-label={t('Why it is fine as it is')}
        placeholder={t('Why it is fine as it is')}
        rows={2}
        maxLength={MAX_CHARACTERS}
        onChange={(text) => {
          reason = text
        }}
      />
    ),
    okText: t('Dismiss@@suggestion'),
  })
  if (isSure) await post(row, 'dismiss', { reason })
}

/** The form of a review, over the permissions that lead to these assets. */
const reviewAddress = (row: AccessProposal) => {
  const address = addressOf('AccessReviewCreate')
  return `${address}?permissions=${(factsOf(row).permissions ?? []).join(',')}`
}

const settled = (work: Promise<unknown>, refresh: () => Promise<void>) => work.then(refresh).catch(() => {})

const suggestionPages = definePages<AccessProposal>(accessProposal, {
  list: {
    columns: [
      { field: 'object_name', cell: linkCell<AccessProposal>(objectAddress, (row) => row.object_name) },
      { field: 'kind', cell: ({ row }) => kindInWords(row) },
      { field: 'facts', title: msg('What was found'), sorter: false, cell: ({ row }) => findingInWords(row) },
      { field: 'change', title: msg('What it would change'), sorter: false, cell: ({ row }) => changeInWords(row) },
      { field: 'state', width: 120, cell: ({ row }) => <StateCell {...stateOf(row)} /> },
      { field: 'date_found', cell: ({ row }) => <When value={row.date_found} /> },
      'reason',
      'decided_by',
      'date_decided',
    ],
    defaultColumns: ['object_name', 'kind', 'facts', 'change', 'state'],
    minColumns: ['object_name'],
    foldFirst: ['kind', 'change'],
    initialFilters: { state: 'open' },
    none: msg('Nothing is suggested'),
    rowActions: [
      {
        name: 'apply',
        title: msg('Apply'),
        order: 10,
        has: ({ state, change }) => state === 'open' && change !== null,
        run: (row, { refresh }) => settled(apply(row), refresh),
      },
      {
        name: 'review',
        title: msg('Review@@access'),
        order: 10,
        has: ({ state, kind }) => state === 'open' && kind === 'many_people',
        run: (row, { go }) => go(reviewAddress(row)),
      },
      {
        name: 'dismiss',
        title: msg('Dismiss@@suggestion'),
        order: 20,
        has: ({ state }) => state === 'open',
        run: (row, { refresh }) => settled(dismiss(row), refresh),
      },
      {
        name: 'reopen',
        title: msg('Suggest again'),
        order: 20,
        has: ({ state }) => state === 'dismissed',
        run: (row, { refresh }) => settled(post(row, 'reopen'), refresh),
      },
    ],
    headerActions: [
      {
        name: 'look',
        title: msg('Look now'),
        // Its answer says that it is looked for; the page asks until it is done.
        run: ({ refresh }) =>
          settled(
            api.post(`${accessProposal.path}look/`, {}).then(() => forget(COVERAGE)),
            refresh,
          ),
      },
    ],
  },
})

/** What 90 days of use suggest to take away, each with what it would change. */
function Suggestions({ title }: PageProps) {
  const coverage = useQuery({
    queryKey: keys.list(COVERAGE, {}),
    queryFn: ({ signal }) => api.get<CoachCoverage>(COVERAGE, { signal, quiet: true }),
    refetchInterval: ({ state: { data } }) => (data?.is_looking ? REFRESH_MS : false),
  })
  const isLooking = coverage.data?.is_looking ?? false
  const hasLooked = useRef(false)
  useEffect(() => {
    if (hasLooked.current && !isLooking) void forget(accessProposal.path)
    hasLooked.current = isLooking
  }, [isLooking])
  return (
    <PageFrame
      title={title}
      lead={[
        t('What the last 90 days of use suggest to take away. Nothing changes until you apply it.'),
        ...(coverage.data?.date_looked && !isLooking
          ? [t('Last looked for on {{date}}.', { date: formatDate(coverage.data.date_looked) })]
          : []),
      ].join(' ')}
    >
      {isLooking && (
        <div role="status" className={styles.progress}>
          <Progress percent={undefined} aria-label={t('Looking for suggestions')} className={styles.bar} />
          {t('Looking through the last 90 days of use. You can leave this page.')}
        </div>
      )}
      {coverage.data && <Coverage {...coverage.data} />}
      <ResourceTable pages={suggestionPages} base="AccessProposal" inAddress={false} />
    </PageFrame>
  )
}

function Coverage({ is_covered, has_samples, days, installed_days, kept_days }: CoachCoverage) {
  if (is_covered) return null
  if (has_samples)
    return (
      <Notice
        tone="info"
        role="note"
        title={t('These are examples of the demo. Suggestions of its own begin after {{count|day|days}} of use.', {
          count: days,
        })}
      />
    )
  return (
    <Notice
      tone="info"
      role="note"
      title={
        kept_days < days
          ? t('Sessions are kept for {{count|day|days}} only: nothing is suggested below {{days}}.', {
              count: kept_days,
              days,
            })
          : t('This installation has run for {{count|day|days}}: suggestions begin after {{days}}.', {
              count: installed_days,
              days,
            })
      }
    />
  )
}

export const pages = { Suggestions }
