import { type Application, application } from '@sallyport/contract/resources/applications/application.ts'
import {
  type ApplicationCategory,
  applicationType,
  typesOf,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { TRIED } from '@sallyport/contract/tried.ts'
import { definePages, type ResourcePages } from '../../generic/view/define-pages.ts'
import type { FormContext, FormFieldView } from '../../generic/view/form-view.ts'
import { kindField } from '../../generic/view/kind-field.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { licenseValid } from '../../session/session.ts'
import { ApplicationAccounts } from '../accounts/AccountTabs.tsx'
import { applicationAddress } from '../application-address.ts'
import { kindsOf } from '../application-kinds.ts'
import { placeOf } from '../application-place.ts'
import { checkAccess } from '../check-access.ts'
import { reachTab } from '../reach/Reach.tsx'
import { ApplicationRules } from './ApplicationRules.tsx'
import { type Attribute, attributeColumn, attributeItem, CLUSTER, DATABASE, MACHINE, PATH } from './attributes.tsx'
import { ACCOUNT, storeDatabase } from './database-form.tsx'
import { nextSteps } from './next-steps.ts'
import { ServerSide } from './ServerSide.tsx'

export const routes = [
  ...resourcePlaces('RemoteApp', {
    menu: 'applications',
    order: 10,
    path: '/applications/remote-apps',
    license: true,
    titles: {
      List: msg('Remote apps'),
      Create: msg('Create remote app'),
      Update: msg('Update remote app'),
      Detail: msg('Remote app detail'),
    },
  }),
  ...resourcePlaces('DatabaseApp', {
    menu: 'applications',
    order: 20,
    path: '/applications/databases',
    titles: {
      List: msg('Databases'),
      Create: msg('Create database'),
      Update: msg('Update database'),
      Detail: msg('Database detail'),
    },
  }),
  ...resourcePlaces('KubernetesApp', {
    menu: 'applications',
    order: 30,
    path: '/applications/kubernetes',
    titles: {
      List: msg('Kubernetes'),
      Create: msg('Create cluster'),
      Update: msg('Update cluster'),
      Detail: msg('Cluster detail'),
    },
  }),
]

interface CategoryView {
  category: ApplicationCategory
  /** Attributes that lists and details show. */
  shown: readonly Attribute[]
  /** Title of the attributes in the form. Marked with `msg`. */
  attributes: string
  inside?: FormFieldView['inside']
  /** Reached by the address that is entered, through the gateways of a network. */
  hasDomain: boolean
}

/**
 * Pages of one category: which types, and which attributes are shown
 * (docs/rules/applications.md#pages).
 */
function pagesOf({ category, shown, attributes, inside = {}, hasDomain }: CategoryView): ResourcePages {
  const types = typesOf(category)
  const hasTypes = types.length > 1
  /** The type of a new one comes with the address; a stored one, and its copy, keep its own. */
  const typeOf = ({ row, query }: FormContext): string => {
    const asked = row?.type ?? query.get('type')
    return applicationType(asked)?.category === category ? String(asked) : (types[0] ?? '')
  }
  const domain = {
    field: 'domain',
    render: (row: Application) => row.domain_display,
    address: (row: Application) => (row.domain ? addressOf('DomainDetail', { id: row.domain }) : undefined),
  }
  return definePages<Application>(application, {
    list: {
      query: { category },
      hideSearch: hasTypes ? ['category'] : ['category', 'type'],
      columns: [
        'name',
        ...(hasTypes ? [{ field: 'type_display', title: msg('Type'), sorter: 'type' }] : []),
        ...shown.map(attributeColumn),
        'created_by',
        'date_created',
        'date_updated',
        'comment',
        'org_name',
      ],
      defaultColumns: ['name', 'type_display', ...shown.map(({ name }) => `attrs.${name}`), 'comment'],
      ...(hasTypes ? { createKinds: () => kindsOf(types) } : {}),
    },
    form: {
      groups: [
        {
          title: msg('Basic'),
          fields: [
            'name',
            { name: 'category', initial: category, visibleWhen: () => false, keepHidden: true },
            kindField('type', typeOf, TRIED.applications),
            ...(hasDomain ? ['domain'] : []),
          ],
        },
        { title: attributes, fields: [{ name: 'attrs', inside }] },
        ...(category === 'db' ? [ACCOUNT] : []),
        { title: msg('Other'), folded: true, fields: ['comment'] },
      ],
      ...(category === 'db' ? { store: storeDatabase } : {}),
      next: (saved) => applicationAddress(category, saved.id) ?? '/',
    },
    detail: {
      quickActions: [checkAccess('application')],
      title: (row) => row.name,
      lead: (row) => [row.type_display, placeOf(row.attrs)],
      fields: [
        { field: 'type_display', title: msg('Type') },
        ...shown.map(attributeItem),
        ...(hasDomain ? [domain] : []),
        'comment',
      ],
      nextSteps: nextSteps(category),
      // A remote app is started on an asset, which has these itself.
      ...(hasDomain ? { side: ServerSide } : {}),
      tabs: [
        { name: 'ApplicationAccounts', title: msg('Accounts'), component: ApplicationAccounts, has: licenseValid },
        { name: 'ApplicationPermissions', title: msg('Permissions@@tab'), component: ApplicationRules },
        { name: 'ApplicationReach', title: msg('Who can reach it'), component: reachTab('application') },
      ],
    },
  })
}

const WINDOWS: FormFieldView['inside'] = {
  // Remote apps are started on Windows machines alone.
  asset: {
    from: { path: '/api/v1/assets/assets/', display: '{hostname}({ip})', query: { platform__base: 'Windows' } },
  },
}

export const pages = {
  RemoteApp: pagesOf({
    category: 'remote_app',
    shown: [MACHINE, PATH],
    attributes: msg('How it is started'),
    inside: WINDOWS,
    hasDomain: false,
  }),
  DatabaseApp: pagesOf({
    category: 'db',
    shown: DATABASE,
    attributes: msg('How it is reached'),
    hasDomain: true,
  }),
  KubernetesApp: pagesOf({
    category: 'cloud',
    shown: [CLUSTER],
    attributes: msg('How it is reached'),
    inside: { cluster: { placeholder: 'https://10.0.0.8:8443' } },
    hasDomain: true,
  }),
}
