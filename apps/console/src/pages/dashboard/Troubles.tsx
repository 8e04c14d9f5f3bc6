import type { Asset } from '@sallyport/contract/resources/assets/asset.ts'
import type { LoginLog } from '@sallyport/contract/resources/audits/login-log.ts'
import type { Command } from '@sallyport/contract/resources/terminal/command.ts'
import type { Terminal } from '@sallyport/contract/resources/terminal/terminal.ts'
import { useQuery } from '@tanstack/react-query'
import { PlugIcon, ShieldCheckIcon } from 'lucide-react'
import { EmptyState } from '../../design/EmptyState.tsx'
import { api, type ListPage } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { addressOf } from '../../navigation/routes.ts'
import { mayAccess } from '../../session/session.ts'
import { inRange, lastDays, listOf } from './addresses.ts'
import { Card } from './Card.tsx'
import { type Group, GroupedCard } from './GroupedCard.tsx'
import { Lines, WhoWhere } from './Lines.tsx'

const DAYS = 7
const SHOWN = 5
/** contract/terminal.yaml command.risk_level */
const DANGEROUS = 5
const COMMANDS = '/api/v1/terminal/commands/'

const NOTHING = { count: 0, next: null, previous: null, results: [] }

/** Commands lie in storages; without another there is one. */
async function dangerousCommands(range: Record<string, string>, signal: AbortSignal): Promise<ListPage<Command>> {
  const options = { signal, quiet: true }
  const tree = await api.get<{ id: string; pId: string }[]>('/api/v1/terminal/command-storages/tree/', {
    ...options,
    query: { real: 1 },
  })
  const storage = tree.find(({ pId }) => pId !== '')
  if (!storage) return NOTHING
  const query = { command_storage_id: storage.id, risk_level: DANGEROUS, ...range, limit: SHOWN }
  return api.get(COMMANDS, { ...options, query })
}

/** Commands of late that a rule calls dangerous. */
export function DangerousCommands() {
  const range = inRange(lastDays(DAYS))
  const query = useQuery({
    queryKey: keys.list(COMMANDS, { risk_level: DANGEROUS, ...range }),
    queryFn: ({ signal }) => dangerousCommands(range, signal),
  })
  return (
    <Card
      title={t('Dangerous commands')}
      note={t('Last {{count}} days', { count: DAYS })}
      to={listOf('CommandList', { risk_level: String(DANGEROUS), ...range })}
      count={query.data?.count}
      shown={SHOWN}
      query={query}
      lines={5}
    >
      {({ count, results }) =>
        count === 0 ? (
          <EmptyState icon={<ShieldCheckIcon />} title={t('No dangerous command')} />
        ) : (
          <Lines
            lines={results.map((row) => ({
              id: row.id,
              to: addressOf('SessionDetail', { id: row.session }),
              main: <code>{row.input}</code>,
              note: <WhoWhere user={row.user} asset={row.asset} />,
              when: row.timestamp * 1000,
            }))}
          />
        )
      }
    </Card>
  )
}

/** Sign-ins of late that failed. */
export function FailedSignIns() {
  const range = inRange(lastDays(DAYS))
  return (
    <GroupedCard
      title={t('Failed sign-ins')}
      note={t('Last {{count}} days', { count: DAYS })}
      icon={<ShieldCheckIcon />}
      nothing={t('No failed sign-in')}
      groups={[
        {
          title: t('Failed sign-ins'),
          to: listOf('LoginLog', { status: 'false', ...range }),
          path: '/api/v1/audits/login-logs/',
          query: { status: 'false', ...range, limit: SHOWN },
          line: (row: LoginLog) => ({
            id: row.id,
            main: <b>{row.username}</b>,
            note: [row.city, row.reason_display, row.ip].filter(Boolean).join(' · '),
            when: row.datetime,
          }),
        },
      ]}
    />
  )
}

/** Machines and components that do not answer; nothing for people who see neither. */
export function Unreachable() {
  const groups: Group[] = []
  if (mayAccess(['org_admin']))
    groups.push({
      title: t('Assets@@figure'),
      to: listOf('AssetList', { connectivity: 'failed' }),
      path: '/api/v1/assets/assets/',
      query: { connectivity: 'failed', limit: SHOWN },
      line: (row: Asset) => ({
        id: row.id,
        to: addressOf('AssetDetail', { id: row.id }),
        main: <b>{row.hostname}</b>,
        note: row.ip,
        when: row.date_verified ?? undefined,
      }),
    })
  if (mayAccess(['super_admin']))
    groups.push({
      title: t('Components'),
      to: listOf('TerminalList', { status: 'offline' }),
      path: '/api/v1/terminal/terminals/',
      query: { status: 'offline', limit: SHOWN },
      line: (row: Terminal) => ({
        id: row.id,
        to: addressOf('TerminalDetail', { id: row.id }),
        main: <b>{row.name}</b>,
        note: [row.status_display, row.remote_addr].filter(Boolean).join(' · '),
      }),
    })
  if (!groups.length) return null
  return (
    <GroupedCard title={t('Not reachable')} groups={groups} icon={<PlugIcon />} nothing={t('Everything answers')} />
  )
}
