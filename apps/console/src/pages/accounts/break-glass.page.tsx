import { type BreakGlassBundle, breakGlassBundle } from '@sallyport/contract/resources/accounts/break-glass-bundle.ts'
import { application } from '@sallyport/contract/resources/applications/application.ts'
import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { confirmDanger, showDialog } from '../../design/dialogs/feedback.tsx'
import type { Tone } from '../../design/Status.tsx'
import { Status } from '../../design/Status.tsx'
import { Names, PageRows } from '../../generic/cells/NamesCells.tsx'
import { proveMfa } from '../../generic/second-factor/MfaVerifyDialog.tsx'
import type { ActionContext } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { Reference } from '../../generic/view/references.ts'
import { api, type Row } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { runTask } from '../run-task.ts'

export const routes = resourcePlaces('BreakGlassBundle', {
  menu: 'accounts',
  order: 60,
  path: '/accounts/break-glass',
  titles: {
    List: msg('Break-glass bundles'),
    Create: msg('Create bundle'),
    Update: msg('Update bundle'),
    Detail: msg('Bundle detail'),
  },
})

const TONES: Record<BreakGlassBundle['state'], Tone> = { draft: 'quiet', sealed: 'good', opened: 'danger' }
const wordsOf = (state: BreakGlassBundle['state']): string =>
  ({ draft: t('Not sealed yet'), sealed: t('Sealed'), opened: t('Opened') })[state]
const isSealed = ({ state }: BreakGlassBundle) => state === 'sealed'

/** Secrets leave Sallyport: behind a fresh second factor, and a question. */
async function seal({ id, name }: BreakGlassBundle, { refresh }: ActionContext): Promise<void> {
  if (!(await proveMfa())) return
  confirmDanger({
    title: t('Seal {{name}} and send it?', { name }),
    content: t(
      'Each holder gets a file by mail, with the secrets as they are now. What has been sent cannot be taken back.',
    ),
    okText: t('Seal and send'),
    onOk: async () => {
      await runTask(`${breakGlassBundle.path}${id}/seal/`).catch(() => {})
      await refresh()
    },
  })
}

/** Says what only people know, and has all that was seen changed. */
function sayOpened({ id, name }: BreakGlassBundle, { refresh }: ActionContext): void {
  confirmDanger({
    title: t('Report {{name}} as opened?', { name }),
    content: t('The passwords and keys of all accounts in it are changed now, by change auth plans.'),
    okText: t('Report bundle as opened'),
    onOk: async () => {
      const answer = await api.post<Changes>(`${breakGlassBundle.path}${id}/opened/`, undefined, { quiet: true })
      await refresh()
      showChanges(answer)
    },
  })
}

interface Changes {
  tasks: string[]
  by_hand: string[]
}

function showChanges({ tasks, by_hand: byHand }: Changes): void {
  showDialog({
    title: t('Changing what was opened'),
    content: (
      <>
        {tasks.length > 0 && (
          <p>{t('{{count|plan has|plans have}} begun: see Change auth plans.', { count: tasks.length })}</p>
        )}
        {byHand.length > 0 && (
          <>
            <p>{t('Change these by hand: no plan can.')}</p>
            <ul>
              {byHand.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          </>
        )}
      </>
    ),
  })
}

/** Names for the ids of a field. */
const named = (field: 'assets' | 'apps' | 'holders', { path, display }: Reference) => ({
  field,
  render: (row: BreakGlassBundle) =>
    row[field].length > 0 ? (
      <PageRows value={[row as unknown as Row]}>
        <Names value={row[field]} name={field} from={{ path, display }} />
      </PageRows>
    ) : undefined,
})

const outdated = ({ outdated_amount: amount }: BreakGlassBundle) =>
  amount ? <Status tone="danger">{t('{{count}} changed since: seal it again', { count: amount })}</Status> : '0'

export const pages = {
  BreakGlassBundle: definePages<BreakGlassBundle>(breakGlassBundle, {
    list: {
      lead: msg(
        'For the day when Sallyport itself is gone: enough of the holders together open a bundle with passwords and keys.',
      ),
      none: msg('No bundles yet'),
      columns: [
        'name',
        {
          field: 'state',
          width: 140,
          cell: ({ row }) => <Status tone={TONES[row.state]}>{wordsOf(row.state)}</Status>,
        },
        { field: 'threshold', title: msg('Needed to open') },
        { field: 'accounts_amount', title: msg('Accounts@@bundle') },
        'outdated_amount',
        'date_sent',
        'date_opened',
        'comment',
        'org_name',
      ],
      defaultColumns: ['name', 'state', 'threshold', 'accounts_amount', 'outdated_amount', 'date_sent'],
      minColumns: ['name'],
      hasSelection: false,
      canBulkDelete: false,
      rowActions: [
        { name: 'seal', title: msg('Seal and send'), order: 5, run: seal },
        {
          name: 'opened',
          title: msg('Report bundle as opened'),
          order: 30,
          danger: true,
          has: isSealed,
          run: sayOpened,
        },
      ],
    },
    form: {
      groups: [
        { title: msg('Basic'), fields: ['name'] },
        {
          title: msg('Accounts@@bundle'),
          lead: msg('The accounts of these assets and applications, with their secrets as they are when it is sealed.'),
          fields: ['assets', 'apps', 'usernames'],
        },
        {
          title: msg('Holders'),
          lead: msg(
            'Each gets a file by mail, with a share under their own file encryption password. So many of them together open it without Sallyport; fewer cannot.',
          ),
          fields: [{ name: 'holders', required: true }, 'threshold'],
        },
        { title: msg('Other'), fields: ['comment'] },
      ],
    },
    detail: {
      states: (row) => [{ tone: TONES[row.state], words: wordsOf(row.state) }],
      fields: [
        'name',
        named('assets', asset),
        named('apps', application),
        'usernames',
        named('holders', user),
        'threshold',
        'accounts_amount',
        { field: 'outdated_amount', render: outdated },
        'date_sent',
        'date_opened',
        'comment',
      ],
      primary: { name: 'seal', title: msg('Seal and send'), run: seal },
      quickActions: [
        {
          name: 'opened',
          title: msg('It was opened without Sallyport'),
          button: msg('Report bundle as opened'),
          has: isSealed,
          run: sayOpened,
        },
      ],
    },
  }),
}
