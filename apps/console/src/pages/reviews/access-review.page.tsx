import { PERMISSION } from '@sallyport/contract/access.ts'
import { type AccessReview, accessReview } from '@sallyport/contract/resources/reviews/access-review.ts'
import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { When } from '../../generic/cells/When.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailView } from '../../generic/view/detail-view.ts'
import type { FormContext, FormFieldView } from '../../generic/view/form-view.ts'
import { api, download } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/save-file.ts'
import { addDays } from '../../lib/time/date-range.ts'
import { places, resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { mayAccess } from '../../session/session.ts'
import { ReviewLines } from './ReviewLines.tsx'
import { stateOf } from './review-state.ts'

export const routes = [
  ...resourcePlaces('AccessReview', {
    menu: 'audits',
    order: 70,
    path: '/reviews',
    titles: { List: msg('Access reviews') },
  }),
  ...resourcePlaces('AccessReview', {
    menu: 'audits',
    bits: PERMISSION.admin,
    path: '/reviews',
    titles: { Create: msg('Begin an access review'), Update: msg('Update access review') },
  }),
  // Messages lead here, also people who have no page of auditors.
  ...places({
    name: 'AccessReviewDetail',
    menu: 'common',
    title: msg('Access review'),
    path: '/reviews/:id',
    active: '/reviews',
    hidden: true,
    bits: 0,
  }),
]

const DAYS = 14

/** The lines are made at the start: what they are made of is not asked again. */
const unlessBegun: FormFieldView['visibleWhen'] = (_values, { mode, row }) =>
  mode === 'create' || row?.state === 'planned'
const unlessEnded: FormFieldView['visibleWhen'] = (_values, { mode, row }) =>
  mode === 'create' || (row?.state !== 'ended' && row?.state !== 'ending')

async function downloadRecord({ id }: AccessReview): Promise<void> {
  const { blob } = await download(`${accessReview.path}${id}/record/`)
  saveFile(blob, `access-review-${id}.json`)
}

const endNow = ({ id, name, undecided, open_amount }: AccessReview, refresh: () => Promise<void>) =>
  confirmDanger({
    title: t('End {{name}} now?', { name }),
    content: open_amount
      ? undecided === 'withdraw'
        ? t('{{count|grant|grants}} without a decision are withdrawn.', { count: open_amount })
        : t('{{count|grant|grants}} without a decision stay, and are reported.', { count: open_amount })
      : t('All grants are decided. The record is signed, and nothing can be changed any more.'),
    okText: t('End@@review'),
    onOk: async () => {
      await api.post(`${accessReview.path}${id}/end/`, {})
      showSuccess(t('The review is ending'))
      await refresh()
    },
  })

const detail: DetailView<AccessReview> = {
  states: (row) => [stateOf(row)],
  lead: (row) => [
    row.state === 'open' && row.own_amount
      ? t('{{count|grant waits|grants wait}} for your decision', { count: row.own_amount })
      : undefined,
    row.state === 'open' ? (
      <span key="end">
        {t('ends@@review')} <When value={row.date_end} />
      </span>
    ) : undefined,
  ],
  top: ReviewLines,
  fields: [
    'decided_by',
    'undecided',
    'months',
    'date_start',
    'date_end',
    'date_ended',
    'comment',
    { field: 'sha256', copy: true },
  ],
  quickActions: [
    {
      name: 'print',
      title: msg('Record on paper'),
      button: msg('Open'),
      has: ({ state }) => state === 'ended' && mayAccess(['org_auditor']),
      run: ({ id }, { go }) => go(addressOf('AccessReviewRecord', { id }) ?? '/'),
    },
    {
      name: 'record',
      title: msg('Signed record, for auditors'),
      button: msg('Download'),
      has: ({ state }) => state === 'ended' && mayAccess(['org_auditor']),
      run: (row) => downloadRecord(row).catch(() => {}),
    },
    {
      name: 'end',
      title: msg('End before its time'),
      button: msg('End@@review'),
      has: ({ state }) => state === 'open' && mayAccess(['org_admin']),
      run: (row, { refresh }) => endNow(row, refresh),
    },
  ],
  canUpdate: () => mayAccess(['org_admin']) || t('Only administrators change reviews'),
  canDelete: ({ state }) => state === 'planned' || t('A review that has begun is evidence, and stays.'),
}

export const accessReviewPages = definePages<AccessReview>(accessReview, {
  list: {
    lead: msg('Who still needs what they are granted, decided line by line, with a signed record at the end.'),
    none: msg('No access has been reviewed yet'),
    columns: [
      'name',
      { field: 'state', width: 130, cell: ({ row }) => <StateCell {...stateOf(row)} /> },
      {
        field: 'lines_amount',
        title: msg('Decided'),
        sorter: false,
        align: 'right',
        cell: ({ row }) => `${formatNumber(row.lines_amount - row.open_amount)} / ${formatNumber(row.lines_amount)}`,
      },
      { field: 'own_amount', sorter: false },
      { field: 'withdrawn_amount', sorter: false },
      'date_start',
      { field: 'date_end', cell: ({ row }) => <When value={row.date_end} /> },
      { field: 'months', sorter: false },
      { field: 'undecided', sorter: false },
      'created_by',
      'comment',
    ],
    defaultColumns: ['name', 'state', 'lines_amount', 'own_amount', 'withdrawn_amount', 'date_end', 'months'],
    minColumns: ['name'],
    canClone: false,
    canDelete: ({ state }) => state === 'planned' || t('A review that has begun is evidence, and stays.'),
  },
  form: {
    method: 'PATCH',
    groups: [
      { title: msg('Basic'), fields: [{ name: 'name', visibleWhen: unlessEnded }] },
      {
        title: msg('What is reviewed'),
        fields: [
          {
            name: 'asset_permissions',
            visibleWhen: unlessBegun,
            // As a suggestion names them.
            initial: ({ query }: FormContext) => query.get('permissions')?.split(',').filter(Boolean),
          },
          { name: 'app_permissions', visibleWhen: unlessBegun },
        ],
      },
      {
        title: msg('Who decides'),
        fields: [
          { name: 'decided_by', widget: 'radio', visibleWhen: unlessBegun },
          {
            name: 'reviewers',
            visibleWhen: unlessEnded,
            from: {
              path: '/api/v1/users/users/',
              display: '{name}({username})',
              query: { fields_size: 'mini', order: 'name', is_service: false },
            },
          },
        ],
      },
      {
        title: msg('When'),
        fields: [
          { name: 'date_start', initial: () => new Date().toISOString(), visibleWhen: unlessBegun },
          {
            name: 'date_end',
            initial: () => addDays(new Date(), DAYS).toISOString(),
            suggest: [7, 14, 30],
            visibleWhen: unlessEnded,
          },
          { name: 'undecided', widget: 'radio', visibleWhen: unlessEnded },
          'months',
        ],
      },
      { title: msg('Other'), folded: true, fields: ['comment'] },
    ],
    saveAndContinue: false,
    next: ({ id }) => addressOf('AccessReviewDetail', { id: String(id) }) ?? '/',
  },
  detail,
  home: () => addressOf('AccessReviewList') ?? '/',
})

export const pages = { AccessReview: accessReviewPages }
