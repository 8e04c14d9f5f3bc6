import { type AccessReviewLine, accessReviewLine } from '@sallyport/contract/resources/reviews/access-review-line.ts'
import { Status } from '../../design/Status.tsx'
import { linkCell } from '../../generic/cells/link-cell.tsx'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { When } from '../../generic/cells/When.tsx'
import type { BulkAction, RowAction } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { ColumnView, ListView } from '../../generic/view/list-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { mayAccess } from '../../session/session.ts'
import { askWithdrawal } from './ask-withdrawal.tsx'
import { decide } from './decisions.ts'
import { openHandOver } from './HandOver.tsx'
import { changesInWords, verdictOf } from './review-state.ts'

const permissionAddress = ({ family, permission }: AccessReviewLine) =>
  addressOf(family === 'asset' ? 'AssetPermissionDetail' : 'ApplicationPermissionDetail', { id: permission })

const subjectAddress = ({ subject_kind, subject }: AccessReviewLine) =>
  addressOf(subject_kind === 'user' ? 'UserDetail' : 'UserGroupDetail', { id: subject })

/** The targets of a grant in a line: nodes first, and the number of those that are left out. */
export function targetsInWords({ nodes, nodes_amount, targets, targets_amount }: AccessReviewLine): string {
  const shown = [...nodes, ...targets].slice(0, 3)
  const more = nodes_amount + targets_amount - shown.length
  return [...shown, ...(more > 0 ? [t('{{count}} more', { count: more })] : [])].join(', ')
}

const columns: readonly (string | ColumnView<AccessReviewLine>)[] = [
  {
    field: 'subject_name',
    cell: linkCell<AccessReviewLine>(subjectAddress, (row) =>
      row.subject_kind === 'group'
        ? t('{{name}} ({{count|person|people}})', { name: row.subject_name, count: row.members_amount })
        : row.subject_name,
    ),
  },
  { field: 'permission_name', cell: linkCell<AccessReviewLine>(permissionAddress, (row) => row.permission_name) },
  { field: 'targets', title: msg('Gives access to'), sorter: false, cell: ({ row }) => targetsInWords(row) },
  { field: 'system_users', sorter: false },
  {
    field: 'last_use',
    cell: ({ row }) =>
      row.last_use ? <When value={row.last_use} /> : <Status tone="warning">{t('Never@@use')}</Status>,
  },
  'uses',
  { field: 'verdict', width: 150, cell: ({ row }) => <StateCell {...verdictOf(row)} /> },
  {
    field: 'changes',
    sorter: false,
    cell: ({ row }) => changesInWords(row),
  },
  { field: 'actions', title: msg('Actions@@permission'), sorter: false },
  'date_expired',
  'decided_by',
  'date_decided',
  'comment',
]

const withdraw = async (review: string, lines: readonly string[], title: string) => {
  const comment = await askWithdrawal(title)
  if (comment !== undefined) await decide({ review, lines, verdict: 'withdraw', comment })
}
/** The call has shown why it failed. */
const quietly = (work: Promise<unknown>) => work.catch(() => {})

const rowActions: readonly RowAction<AccessReviewLine>[] = [
  {
    name: 'confirm',
    title: msg('Confirm@@access'),
    order: 10,
    has: ({ can_decide, verdict }) => can_decide && verdict === 'open',
    run: ({ id, review }) => quietly(decide({ review, lines: [id], verdict: 'confirm' })),
  },
  {
    name: 'withdraw',
    title: msg('Withdraw@@access'),
    order: 20,
    danger: true,
    has: ({ can_decide }) => can_decide,
    run: ({ id, review, subject_name, permission_name }) =>
      quietly(
        withdraw(
          review,
          [id],
          t('Take {{name}} out of {{permission}}?', { name: subject_name, permission: permission_name }),
        ),
      ),
  },
]

const whyNotAll = (rows: readonly AccessReviewLine[]) =>
  rows.every(({ can_decide }) => can_decide) || t('Some of these are decided already')
const reviewOf = (rows: readonly AccessReviewLine[]) => rows[0]?.review ?? ''

const bulkActions: readonly BulkAction<AccessReviewLine>[] = [
  {
    name: 'handOver',
    title: msg('Hand over'),
    has: () => mayAccess(['org_admin']),
    can: whyNotAll,
    run: (ids, rows) => openHandOver(reviewOf(rows), ids),
  },
  {
    name: 'confirm',
    title: msg('Confirm@@access'),
    can: whyNotAll,
    takesAway: true,
    run: async (ids, rows, { refresh }) => {
      await quietly(decide({ review: reviewOf(rows), lines: ids, verdict: 'confirm' }))
      await refresh()
    },
  },
  {
    name: 'withdraw',
    title: msg('Withdraw@@access'),
    danger: true,
    asks: true,
    can: whyNotAll,
    takesAway: true,
    run: async (ids, rows, { refresh }) => {
      await quietly(withdraw(reviewOf(rows), ids, t('Withdraw {{count|grant|grants}}?', { count: ids.length })))
      await refresh()
    },
  },
]

const list: ListView<AccessReviewLine> = {
  columns,
  defaultColumns: ['subject_name', 'permission_name', 'targets', 'last_use', 'uses', 'verdict', 'changes'],
  minColumns: ['subject_name', 'permission_name'],
  foldFirst: ['system_users', 'changes', 'uses', 'targets'],
  hideSearch: ['review', 'subject', 'permission'],
  none: msg('No grant is under review here'),
}

/** Grants that wait for this person. */
export const ownLinePages = definePages<AccessReviewLine>(accessReviewLine, {
  list: {
    ...list,
    // None of them is decided.
    defaultColumns: ['subject_name', 'permission_name', 'targets', 'system_users', 'last_use', 'uses', 'changes'],
    rowActions,
    bulkActions,
    none: msg('You have decided about all of them'),
    hasExport: false,
  },
})

/** All grants of a review. */
export const allLinePages = definePages<AccessReviewLine>(accessReviewLine, {
  list: { ...list, rowActions, bulkActions, hasExport: true },
})

/** The decisions, once they cannot be changed any more. */
export const settledLinePages = definePages<AccessReviewLine>(accessReviewLine, {
  list: { ...list, hasActions: false, hasExport: true },
})
