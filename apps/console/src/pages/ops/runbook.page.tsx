import { PERMISSION } from '@sallyport/contract/access.ts'
import { type Runbook, runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { lazily } from '../../design/lazily.tsx'
import { countCell } from '../../generic/cells/cells.tsx'
import { definePages, type PagesView } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import type { FormValues } from '../../generic/view/form-view.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { RunHistory } from './batch/RunHistory.tsx'
import { RUN_TAB, runAddress, SCHEDULES_TAB } from './runbook-address.ts'
import { RunButton } from './runbooks/RunButton.tsx'
import { RunbookContent } from './runbooks/RunbookContent.tsx'
import { RunbookFileInput } from './runbooks/RunbookFileInput.tsx'
import { RunbookRun } from './runbooks/RunbookRun.tsx'

/** Tabs that come when they are opened. */
const Schedules = lazily<DetailProps<Runbook>>(() => import('./runbooks/Schedules.tsx').then((m) => m.Schedules))
const Versions = lazily<DetailProps<Runbook>>(() => import('./runbooks/Versions.tsx').then((m) => m.Versions))

/** Written in the job center, and run there and by everybody else beside their batch commands. */
export const routes = [
  ...resourcePlaces('Runbook', {
    menu: 'ops',
    path: '/ops/runbooks',
    titles: {
      List: msg('Runbooks'),
      Create: msg('Create runbook'),
      Update: msg('Update runbook'),
      Detail: msg('Runbook'),
    },
    removed: ({ SECURITY_COMMAND_EXECUTION }) => SECURITY_COMMAND_EXECUTION === false,
  }),
  ...resourcePlaces('MyRunbook', {
    menu: 'user-top',
    order: 41,
    icon: 'runbooks',
    bits: PERMISSION.use,
    path: '/runbooks',
    titles: { List: msg('Runbooks'), Detail: msg('Runbook') },
    removed: ({ SECURITY_COMMAND_EXECUTION }) => SECURITY_COMMAND_EXECUTION === false,
  }),
]

const history = ({ row }: DetailProps<Runbook>) => <RunHistory tab={RUN_TAB} query={{ runbook: row.id }} />

/** Steps by name that people run again and again (A2.45), as all may see and run them. */
const shown: PagesView<Runbook> = {
  list: {
    lead: msg('Commands to run again and again, step by step, on the assets you choose.'),
    none: msg('No runbooks yet'),
    columns: [
      'name',
      { field: 'steps', width: 88, align: 'right', sorter: false, cell: countCell },
      { field: 'version', width: 88, align: 'right', sorter: false },
      'comment',
      'created_by',
      'date_updated',
    ],
    defaultColumns: ['name', 'steps', 'comment', 'date_updated'],
    rowActions: [
      {
        name: 'run',
        title: msg('Run@@action'),
        order: 5,
        run: ({ id }, { go }) => go(runAddress(id) ?? ''),
      },
    ],
  },
  detail: {
    actions: RunButton,
    lead: ({ comment }) => [comment],
    top: RunbookContent,
    fields: ['name', 'version'],
    tabs: [
      { name: RUN_TAB, title: msg('Run@@action'), component: RunbookRun },
      { name: 'Runs', title: msg('History'), component: history },
      { name: SCHEDULES_TAB, title: msg('Schedules'), component: Schedules },
      { name: 'Versions', title: msg('Versions'), component: Versions },
    ],
  },
}

const isFile = ({ kind }: FormValues) => kind === 'file'
const isCommand = (step: FormValues) => !isFile(step)
const isAsked = ({ kind }: FormValues) => kind !== 'secret'

const runbookPages = definePages<Runbook>(runbook, {
  ...shown,
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'comment'] },
      {
        title: msg('Variables'),
        lead: msg('Values that differ from run to run: the person who runs it enters them.'),
        fields: [
          {
            name: 'variables',
            help: msg(
              'A step names a variable as {{name}}, best outside of quotes: there a value with spaces or quotes becomes one quoted word. Within quotes it holds letters, digits and _ . , : / @ % + = - only. The password of an account is named as the value of an assignment before a command (PGPASSWORD={{name}} psql) or after printf, and only administrators run it then.',
            ),
            item: msg('Variable'),
            inside: {
              label: { visibleWhen: isAsked },
              value: { visibleWhen: isAsked },
              account: { visibleWhen: (variable) => !isAsked(variable), required: true },
            },
          },
        ],
      },
      {
        title: msg('Steps'),
        lead: msg('One after the other on each asset, each in a shell of its own; none after one that failed.'),
        fields: [
          {
            name: 'steps',
            help: msg(
              '{{host.name}}, {{host.ip}} and {{host.platform}} are those of the asset. A file (1 MB at most) is sent over SFTP and put in its place when its step comes.',
            ),
            item: msg('Step'),
            initial: [{ name: '', kind: 'command', command: '' }],
            inside: {
              command: { widget: 'code', required: true, visibleWhen: isCommand },
              file: { widget: RunbookFileInput, required: true, visibleWhen: isFile },
              path: { required: true, visibleWhen: isFile },
              mode: { visibleWhen: isFile },
              owner: { visibleWhen: isFile },
            },
          },
        ],
      },
    ],
    next: ({ id }) => addressOf('RunbookDetail', { id }) ?? '/ops/runbooks',
    saveAndContinue: false,
  },
})

const myRunbookPages = definePages<Runbook>(runbook, {
  ...shown,
  list: {
    ...(shown.list ?? { columns: [] }),
    canCreate: false,
    canUpdate: false,
    canDelete: false,
    canClone: false,
    canBulkDelete: false,
  },
  detail: { ...shown.detail, canUpdate: false, canDelete: false },
})

export const pages = { Runbook: runbookPages, MyRunbook: myRunbookPages }
