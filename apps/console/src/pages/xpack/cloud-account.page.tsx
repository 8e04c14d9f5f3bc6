import { type CloudAccount, cloudAccount } from '@sallyport/contract/resources/cloud/cloud-account.ts'
import { CLOUD_PROVIDERS, type CloudProvider } from '@sallyport/contract/resources/cloud/cloud-providers.ts'
import { TRIED } from '@sallyport/contract/tried.ts'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormContext } from '../../generic/view/form-view.ts'
import { kindField } from '../../generic/view/kind-field.ts'
import { api } from '../../lib/api.ts'
import { msg } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'

export const routes = resourcePlaces('CloudAccount', {
  menu: 'xpack',
  license: true,
  path: '/xpack/cloud/account',
  paths: { Detail: '/xpack/cloud/accounts/:id' },
  active: '/xpack/cloud',
  titles: {
    Create: msg('Create cloud account'),
    Update: msg('Update cloud account'),
    Detail: msg('Cloud account detail'),
  },
})

const accounts = () => `${addressOf('CloudCenter') ?? '/'}?activeTab=AccountList`

const kinds = (Object.keys(CLOUD_PROVIDERS) as CloudProvider[]).map((name) => ({
  name,
  title: CLOUD_PROVIDERS[name].label,
  group: CLOUD_PROVIDERS[name].isPrivate ? msg('Private clouds') : msg('Public clouds'),
  query: { provider: name },
}))

/** A new one's cloud comes with the address; a stored one keeps its own. */
const providerOf = ({ row, query }: FormContext): string => {
  const asked = row?.provider ?? query.get('provider')
  return kinds.some(({ name }) => name === asked) ? String(asked) : 'aliyun'
}

/** Asks the cloud; what it says is shown, a refusal by the call itself. */
async function testAccount({ id, name }: Pick<CloudAccount, 'id' | 'name'>): Promise<void> {
  try {
    const { msg: words } = await api.get<{ msg: string }>(`${cloudAccount.path}${id}/test-connective/`)
    showSuccess(`${name}: ${words}`)
  } catch {
    // The call has told the person already.
  }
  await forget(cloudAccount.path)
}

/** Credentials of Sallyport at clouds (A2.58). */
export const cloudAccountPages = definePages<CloudAccount>(cloudAccount, {
  list: {
    columns: [
      'name',
      { field: 'provider', cell: ({ row }) => row.provider_display },
      {
        field: 'validity',
        cell: ({ value, row }) => <StateCell tone={value ? 'good' : 'warning'} words={row.validity_display} />,
      },
      'date_created',
      'comment',
    ],
    createKinds: kinds,
    canClone: false,
    canBulkDelete: false,
    hasSelection: false,
    rowActions: [{ name: 'test', title: msg('Test connection'), run: (row) => testAccount(row) }],
    none: msg('No cloud accounts yet'),
  },
  form: {
    groups: [
      {
        title: msg('Basic'),
        fields: ['name', kindField('provider', providerOf, TRIED.clouds)],
      },
      {
        title: msg('Keys@@cloud'),
        lead: msg('Use an account that may list machines, and nothing else.'),
        fields: [
          {
            name: 'attrs',
            inside: {
              api_endpoint: { placeholder: 'https://cloud.example.com' },
              auth_url: { placeholder: 'https://cloud.example.com:5000/v3' },
              host: { placeholder: 'vcenter.example.com' },
              service_account_key: {
                widget: 'json-file',
                help: msg('The JSON file that Google makes for a key of the service account.'),
              },
            },
          },
        ],
      },
      { title: msg('Other'), fields: ['comment'] },
    ],
    query: (context) => ({ provider: providerOf(context) }),
    next: accounts,
  },
  detail: {
    states: (row) => [{ tone: row.validity ? 'good' : 'warning', words: row.validity_display }],
    lead: (row) => [row.provider_display],
    primary: {
      name: 'test',
      title: msg('Test connection'),
      run: async (row, { refresh }) => {
        await testAccount(row)
        await refresh()
      },
    },
    fields: ['name', { field: 'provider_display', title: msg('Cloud provider') }, 'comment'],
  },
  home: accounts,
})

export const pages = { CloudAccount: cloudAccountPages }
