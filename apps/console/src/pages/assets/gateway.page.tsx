import { type Gateway, gateway } from '@sallyport/contract/resources/assets/gateway.ts'
import { useState } from 'react'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { NumberInput } from '../../design/inputs/NumberInput.tsx'
import { portFault } from '../../generic/form/check-field.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { askWith, showWith } from '../dialogs.tsx'
import { HostKeys } from './HostKeysCard.tsx'

export const routes = resourcePlaces('Gateway', {
  menu: 'assets',
  order: 40,
  path: '/assets/gateways',
  active: '/assets/domains',
  titles: { Create: msg('Create gateway'), Update: msg('Update gateway') },
})

/** Gateways have no list page of their own: they live in their domain's tab (A2.88). */
const domainTab = (id: unknown) => `${addressOf('DomainDetail', { id: String(id) }) ?? '/'}?activeTab=GatewayList`

async function testConnection(row: Gateway): Promise<void> {
  let port: number | null = row.port
  const field = <PortInput first={port} onChange={(next) => (port = next)} />
  if (!(await askWith(t('Test connection'), field, t('Test')))) return
  const fault = portFault(port)
  if (fault) return showError(fault)
  await api.post(`${gateway.path}${row.id}/test-connective/`, { port })
  showSuccess(t('The test succeeded'))
}

function PortInput({ first, onChange }: { first: number; onChange: (port: number | null) => void }) {
  const [port, setPort] = useState<number | null>(first)
  const fault = portFault(port)
  return (
    <>
      <label htmlFor="gateway-port">{t('SSH port')}</label>{' '}
      <NumberInput
        id="gateway-port"
        isInteger
        value={port}
        aria-invalid={fault ? true : undefined}
        onChange={(next) => {
          setPort(next)
          onChange(next)
        }}
      />
      {fault && (
        <span className="bad" role="alert">
          {' '}
          {fault}
        </span>
      )}
    </>
  )
}

function showHostKeys(row: Gateway): void {
  showWith(`${t('SSH host keys')}: ${row.name}`, <HostKeys owner={`${gateway.path}${row.id}/`} />)
}

export const gatewayPages = definePages<Gateway>(gateway, {
  list: {
    columns: ['name', 'ip', { field: 'port', width: 90 }, 'protocol', 'username', 'is_active', 'comment'],
    defaultColumns: ['name', 'ip', 'port', 'protocol', 'username', 'is_active'],
    // Names lead nowhere: a gateway has no page of its own.
    rowActions: [
      { name: 'test', title: msg('Test connection'), run: (row) => testConnection(row).catch(() => {}) },
      { name: 'host_keys', title: msg('SSH host keys'), run: (row) => showHostKeys(row) },
    ],
  },
  form: {
    groups: [
      {
        title: msg('Basic'),
        fields: [
          'name',
          'ip',
          'port',
          { name: 'protocol', initial: 'ssh', disabledWhen: () => true },
          {
            name: 'domain',
            initial: ({ query }: { query: URLSearchParams }) => query.get('domain'),
            disabledWhen: () => true,
          },
        ],
      },
      {
        title: msg('Authentication'),
        fields: ['username', 'password', { name: 'private_key', widget: 'key-file' }, 'passphrase'],
      },
      { title: msg('Other'), folded: true, fields: ['is_active', { name: 'comment', widget: 'textarea' }] },
    ],
    method: 'PATCH',
    next: (saved) => domainTab(saved.domain),
  },
  home: (row, query) => domainTab(row?.domain ?? query.get('domain')),
})

export const pages = { Gateway: gatewayPages }
