import { serviceIdentity } from '@sallyport/contract/resources/authentication/service-identity.ts'
import { type TrustRule, trustRule } from '@sallyport/contract/resources/authentication/trust-rule.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormFieldView } from '../../generic/view/form-view.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'

export const routes = resourcePlaces('TrustRule', {
  menu: 'users',
  order: 81,
  path: '/users/trust-rules',
  active: '/users/service-identities',
  titles: { Create: msg('Create trust rule'), Update: msg('Update trust rule') },
})

/** Trust rules have no list page of their own: they live in a tab of their identity. */
const rulesTab = (id: unknown) =>
  `${addressOf('ServiceIdentityDetail', { id: String(id) }) ?? '/'}?activeTab=TrustRuleList`

const identity: FormFieldView = {
  name: 'identity',
  from: { path: serviceIdentity.path, display: serviceIdentity.display },
  initial: ({ query }: { query: URLSearchParams }) => query.get('identity'),
  disabledWhen: () => true,
}

/** In one line: `repository = octo/app, ref = refs/heads/main`. */
const claimsInWords = (claims: TrustRule['claims']): string =>
  claims.map(({ claim, value }) => `${String(claim)} = ${String(value)}`).join(', ')

/** Which workload tokens of a provider a service identity takes. */
export const trustRulePages = definePages<TrustRule>(trustRule, {
  list: {
    columns: [
      'name',
      'issuer',
      'audience',
      { field: 'claims', sorter: false, cell: ({ row }) => claimsInWords(row.claims) },
      'is_reusable',
      'is_active',
      'date_created',
      'created_by',
    ],
    defaultColumns: ['name', 'issuer', 'audience', 'claims', 'is_active'],
    none: msg('No trust rule yet: with one, jobs of GitHub, GitLab or a cluster come without a stored key'),
    hasSelection: false,
    hasSearch: false,
    hideSearch: ['identity'],
    canClone: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: [identity, 'name', 'is_active'] },
      {
        title: msg('Which tokens are taken'),
        fields: ['issuer', 'audience', 'is_reusable'],
      },
      {
        title: msg('Claims'),
        lead: msg('The provider signs tokens for all of its customers: the claims say which of them are meant.'),
        fields: [{ name: 'claims', item: msg('Claim@@item') }],
      },
      { title: msg('Keys of a provider of your own'), folded: true, fields: ['ca_certificate', 'keys'] },
    ],
    next: (saved) => rulesTab(saved.identity),
  },
  home: (row, query) => rulesTab(row?.identity ?? query.get('identity')),
})

export const pages = { TrustRule: trustRulePages }
