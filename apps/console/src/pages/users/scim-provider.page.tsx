import { PERMISSION } from '@sallyport/contract/access.ts'
import { type ScimProvider, scimProvider } from '@sallyport/contract/resources/scim/scim-provider.ts'
import { ask, showDialog } from '../../design/dialogs/feedback.tsx'
import { CopyText } from '../../generic/detail/CopyText.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { api } from '../../lib/api.ts'
import { formatRelative } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { activeAction } from '../active-action.ts'
import { lifeStates } from '../row-states.ts'

export const routes = resourcePlaces('ScimProvider', {
  menu: 'users',
  order: 90,
  bits: PERMISSION.super,
  path: '/users/scim-providers',
  titles: {
    List: msg('SCIM providers'),
    Create: msg('Create SCIM provider'),
    Update: msg('Update SCIM provider'),
    Detail: msg('SCIM provider detail'),
  },
})

/** A token is shown once, with the address that belongs to it. */
async function makeToken(row: ScimProvider): Promise<void> {
  if (row.date_token) {
    const isSure = await ask({
      title: t('Make a new token for {{name}}?', { name: row.name }),
      content: t('The provider is refused with the old one from now on, until it has the new one.'),
      okText: t('Make the token'),
      isDanger: true,
    })
    if (!isSure) return
  }
  const { token } = await api.post<{ token: string }>(`${scimProvider.path}${row.id}/token/`)
  await forget(scimProvider.path)
  showDialog({
    title: t('Token of {{name}}', { name: row.name }),
    content: (
      <>
        <p>{t('Enter both at the provider now: the token is not shown again.')}</p>
        <p>
          <CopyText text={row.url ?? ''} label={t('Address for the provider')} />
        </p>
        <p>
          <CopyText text={token} label={t('Token')} />
        </p>
      </>
    ),
  })
}

/** Identity providers that keep people and groups here. */
export const scimProviderPages = definePages<ScimProvider>(scimProvider, {
  list: {
    columns: [
      'name',
      'source',
      { field: 'people_amount', title: msg('Users@@field'), align: 'right' },
      { field: 'groups_amount', title: msg('User groups'), align: 'right' },
      'is_active',
      'date_last_used',
      'date_expired',
      'comment',
    ],
    defaultColumns: ['name', 'source', 'people_amount', 'groups_amount', 'is_active', 'date_last_used'],
    lead: msg('Okta, Entra ID and others create people and groups here, keep them, and switch off those who leave.'),
    none: msg('No provider keeps people here yet'),
    canClone: false,
    hasSelection: false,
  },
  form: {
    groups: [
      {
        title: msg('Basic'),
        fields: [
          'name',
          {
            name: 'source',
            help: msg('People have no password here: they come by this way, which the settings set up.'),
          },
          {
            name: 'on_delete',
            meanings: {
              deactivate: msg('They can sign in no longer; their permissions and history stay'),
              delete: msg('They are removed with everything that they were given'),
            },
          },
          'is_active',
        ],
      },
      {
        title: msg('Token'),
        lead: msg('The token itself is made on the page of the provider.'),
        fields: [{ name: 'ip_group', placeholder: '10.0.0.8, 10.0.0.0/24' }, 'date_expired'],
      },
      { title: msg('Other'), folded: true, fields: ['comment'] },
    ],
  },
  detail: {
    states: (row) => [...lifeStates(row), row.date_token ? undefined : { tone: 'warning', words: t('No token yet') }],
    lead: (row) => [
      t('{{count|user|users}}', { count: row.people_amount ?? 0 }),
      t('{{count|group|groups}}', { count: row.groups_amount ?? 0 }),
      row.date_last_used ? t('Last used {{time}}', { time: formatRelative(row.date_last_used) }) : t('Never used'),
    ],
    nextSteps: [
      {
        title: msg('Make the token'),
        lead: msg('The provider sends it with each request, to the address beside it.'),
        button: msg('Make the token'),
        run: makeToken,
        done: ({ date_token }) => Boolean(date_token),
      },
    ],
    fields: [
      { field: 'url', copy: true },
      'source',
      'on_delete',
      'ip_group',
      'date_token',
      'date_last_used',
      'date_expired',
      'comment',
    ],
    quickActions: [
      activeAction(scimProvider),
      { name: 'token', title: msg('New token'), button: msg('Make'), run: makeToken },
    ],
  },
})

export const pages = { ScimProvider: scimProviderPages }
