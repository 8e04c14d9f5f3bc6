import { type Command, command } from '@sallyport/contract/resources/terminal/command.ts'
import { useQuery } from '@tanstack/react-query'
import { InboxIcon } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { NativeSelect } from '../../design/boxes/NativeSelect.tsx'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { Status } from '../../design/Status.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { api } from '../../lib/api.ts'
import { formatDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'
import { DatedTable } from '../DatedTable.tsx'
import type { PageProps } from '../page-props.ts'
import { ruleAddress } from '../rule-address.ts'
import { CommandCell } from './CommandCell.tsx'

export const routes = places({
  name: 'CommandList',
  menu: 'terminal',
  order: 30,
  title: msg('Commands'),
  path: '/terminal/commands',
})

const DAYS_BACK = 2

export const inputColumn: ColumnView<Command> = { field: 'input', cell: ({ row }) => <CommandCell row={row} /> }
/** The decision about it: rule and filter, and the ticket where people were asked. */
export const decidedColumns: ColumnView<Command>[] = [
  {
    field: 'rule_filter',
    title: msg('Rule@@command'),
    sorter: false,
    width: 140,
    cell: ({ row: { rule_filter: name, rule_filter_id: filter, rule } }) => {
      if (!name || !rule) return null
      if (!filter) return t('{{filter}} (rule deleted)', { filter: name })
      return <LinkedWords to={ruleAddress(filter, rule)}>{name}</LinkedWords>
    },
  },
  {
    field: 'ticket',
    title: msg('Ticket'),
    sorter: false,
    width: 112,
    cell: ({ row: { ticket, risk_level } }) =>
      ticket && (
        <LinkedWords to={addressOf('CommandConfirmDetail', { id: ticket })}>
          {Number(risk_level) > 0 ? t('Not confirmed') : t('Confirmed@@command')}
        </LinkedWords>
      ),
  },
]

export const timeColumn: ColumnView<Command> = {
  field: 'timestamp',
  title: msg('Datetime'),
  // Seconds on the wire.
  cell: ({ value }) => formatDate(Number(value) * 1000),
}

const commandPages = definePages<Command>(command, {
  list: {
    columns: [
      inputColumn,
      {
        field: 'risk_level',
        width: 116,
        cell: ({ value, row }) =>
          Number(value) > 0 ? <Status tone="danger">{row.risk_level_display}</Status> : row.risk_level_display,
      },
      ...decidedColumns,
      'user',
      'remote_addr',
      'asset',
      'system_user',
      {
        field: 'session',
        title: msg('Session@@field'),
        width: 72,
        align: 'center',
        cell: ({ value }) => {
          const detail = addressOf('SessionDetail', { id: String(value) })
          return detail ? <Link to={detail}>{t('Go to')}</Link> : null
        },
      },
      timeColumn,
    ],
    minColumns: ['input'],
    foldFirst: ['remote_addr', 'ticket', 'system_user', 'rule_filter'],
    hideSearch: ['session'],
    defaultOrder: '-timestamp',
  },
})

const STORAGES = '/api/v1/terminal/command-storages/tree/'

interface StorageItem {
  id: string
  name: string
  pId: string
  valid: boolean
}

/**
 * Every command that was run, with what came back (A2.38). Commands lie in storages; the first
 * one is shown at first.
 */
export function CommandList({ title }: PageProps) {
  const [chosen, setChosen] = useState<string>()
  const query = { real: 1 }
  const tree = useQuery({
    queryKey: keys.list(STORAGES, query),
    queryFn: ({ signal }) => api.get<StorageItem[]>(STORAGES, { query, signal, quiet: true }),
  })
  const storages = tree.data?.filter(({ pId }) => pId !== '') ?? []
  const storage = storages.find(({ id }) => id === chosen) ?? storages.find(({ valid }) => valid) ?? storages[0]
  return (
    <PageFrame title={title}>
      {storage ? (
        <DatedTable
          key={storage.id}
          pages={commandPages}
          base="Command"
          inAddress
          daysBack={DAYS_BACK}
          query={{ command_storage_id: storage.id }}
          filters={storages.length > 1 && <StorageChoice storages={storages} value={storage.id} onChange={setChosen} />}
        />
      ) : tree.isLoadingError ? (
        <LoadFailed error={tree.error} onRetry={() => void tree.refetch()} />
      ) : tree.data ? (
        <EmptyState icon={<InboxIcon />} title={t('No data')} />
      ) : (
        <Skeleton />
      )}
    </PageFrame>
  )
}

interface StorageChoiceProps {
  storages: readonly StorageItem[]
  value: string
  onChange: (id: string) => void
}

function StorageChoice({ storages, value, onChange }: StorageChoiceProps) {
  return (
    <NativeSelect
      className="quick-filter"
      value={value}
      aria-label={t('Command storage')}
      title={t('Command storage')}
      onChange={onChange}
    >
      {storages.map(({ id, name, valid }) => (
        <option key={id} value={id} disabled={!valid}>
          {name}
        </option>
      ))}
    </NativeSelect>
  )
}

export const pages = { CommandList }
