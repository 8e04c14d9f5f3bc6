import { type Domain, domain } from '@sallyport/contract/resources/assets/domain.ts'
import { gateway } from '@sallyport/contract/resources/assets/gateway.ts'
import { countLink, tabOf } from '../../generic/cells/count-link.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { assetsWith } from '../related.ts'
import { gatewayPages } from './gateway.page.tsx'

export const routes = resourcePlaces('Domain', {
  menu: 'assets',
  order: 30,
  path: '/assets/domains',
  titles: {
    List: msg('Domains'),
    Create: msg('Create domain'),
    Update: msg('Update domain'),
    Detail: msg('Domain detail'),
  },
})

export const domainPages = definePages<Domain>(domain, {
  list: {
    lead: msg('A domain is a network of its own: what is in it is reached through one of its gateways.'),
    columns: [
      'name',
      { field: 'asset_count', title: msg('Assets@@field'), align: 'right' },
      { field: 'application_count', title: msg('Apps@@field'), align: 'right' },
      {
        field: 'gateway_count',
        title: msg('Gateways'),
        align: 'right',
        cell: countLink(tabOf('DomainDetail', 'GatewayList')),
      },
      'date_created',
      'comment',
      'org_name',
    ],
    defaultColumns: ['name', 'asset_count', 'application_count', 'gateway_count', 'comment'],
    canBulkDelete: false,
  },
  form: {
    groups: [{ title: msg('Basic'), fields: ['name', 'assets', 'comment'] }],
    // A domain without a gateway routes nothing: its gateways are what comes next.
    next: (saved, { mode }) =>
      mode === 'create'
        ? `${addressOf('DomainDetail', { id: saved.id }) ?? ''}?activeTab=GatewayList`
        : (addressOf('DomainList') ?? '/'),
  },
  detail: {
    lead: (row) => [
      t('{{count|asset|assets}}', { count: row.asset_count ?? 0 }),
      t('{{count|gateway|gateways}}', { count: row.gateway_count ?? 0 }),
    ],
    fields: ['name', 'comment'],
    related: ({ id }) => [
      {
        title: msg('Gateways'),
        path: gateway.path,
        query: { domain: id },
        words: ({ name }) => String(name),
        note: ({ ip, port }) => `${ip}:${port}`,
        address: () => `${addressOf('DomainDetail', { id }) ?? ''}?activeTab=GatewayList`,
      },
      assetsWith({ domain: id }),
    ],
    tabs: [{ name: 'GatewayList', title: msg('Gateways'), component: Gateways }],
  },
})

function Gateways({ row }: DetailProps<Domain>) {
  return (
    <ResourceTable
      pages={gatewayPages}
      base="Gateway"
      inAddress={false}
      query={{ domain: row.id }}
      createQuery={{ domain: row.id }}
    />
  )
}

export const pages = { Domain: domainPages }
