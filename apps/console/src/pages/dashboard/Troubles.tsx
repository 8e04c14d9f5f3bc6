import type { Asset } from '@sallyport/contract/resources/assets/asset.ts'
import type { LoginLog } from '@sallyport/contract/resources/audits/login-log.ts'
import type { Command } from '@sallyport/contract/resources/terminal/command.ts'
import type { Terminal } from '@sallyport/contract/resources/terminal/terminal.ts'
import { useQuery } from '@tanstack/react-query'
import { PlugIcon, ShieldCheckIcon } from 'lucide-react'
import { formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf, listOf } from '../../navigation/routes.ts'
import { mayAccess } from '../../session/session.ts'
import { inRange, lastDays } from './addresses.ts'
import { asked } from './ask.ts'
import { Card } from './Card.tsx'
import { type Group, GroupedCard } from './GroupedCard.tsx'
import { WhoWhere } from './Lines.tsx'

const DAYS = 7
const SHOWN = 5
/** docs/rules/terminal.md#command */
const DANGEROUS = 5
const COMMANDS = '/api/v1/terminal/commands/'

/** Commands lie in storages; the one where new terminals store stands first. */
const STORAGES = '/api/v1/terminal/command-storages/tree/'

/** Commands of late that a rule denied, and those that others were asked to confirm. */
export function JudgedCommands() {
  const range = inRange(lastDays(DAYS))
  const tree = useQuery(asked<{ id: string; pId: string; valid: boolean }[]>(STORAGES, { real: 1 }))
  const storage = tree.data?.find(({ pId, valid }) => pId !== '' && valid)
  const heading = { title: t('Dangerous commands'), note: t('{{count}} days', { count: DAYS }) }
  if (!tree.data)
    return (
      <Card {...heading} query={tree} lines={5}>
        {() => null}
      </Card>
    )
  const group = (title: string, which: Record<string, string>): Group => ({
    title,
    to: listOf('CommandList', { ...which, ...range }),
    path: COMMANDS,
    query: { command_storage_id: storage?.id ?? '', ...which, ...range, limit: SHOWN },
    line: (row: Command) => ({
      id: row.id,
      to: addressOf('SessionDetail', { id: row.session }),
      main: <code>{row.input}</code>,
      note: <WhoWhere user={row.user} asset={row.asset} />,
      when: row.timestamp * 1000,
    }),
  })
  return (
    <GroupedCard
      {...heading}
      icon={<ShieldCheckIcon />}
      nothing={t('No dangerous command')}
      groups={[
        group(t('Denied'), { risk_level: String(DANGEROUS) }),
        group(t('Asked for confirmation'), { confirmed: 'true' }),
      ]}
    />
  )
}

/** So many are read to put those of one person together. */
const SIGN_INS_READ = 100

/** Sign-ins of late that failed, those of one person in one line. */
export function FailedSignIns() {
  const range = inRange(lastDays(DAYS))
  return (
    <GroupedCard
      title={t('Failed sign-ins')}
      note={t('{{count}} days', { count: DAYS })}
      icon={<ShieldCheckIcon />}
      nothing={t('No failed sign-in')}
      groups={[
        {
          title: t('Failed sign-ins'),
          to: listOf('LoginLog', { status: 'false', ...range }),
          path: '/api/v1/audits/login-logs/',
          query: { status: 'false', ...range, limit: SIGN_INS_READ },
          likeness: ({ username }: LoginLog) => username,
          line: (row: LoginLog, { count, isLeast }) => ({
            id: row.id,
            main: (
              <>
                <b>{row.username}</b>
                {count > 1 && <b> ×{formatNumber(count) + (isLeast ? '+' : '')}</b>} <small>{row.ip}</small>
              </>
            ),
            note: [row.city, row.reason_display].filter(Boolean).join(' · '),
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
  return <GroupedCard title={t('Not reachable')} groups={groups} icon={<PlugIcon />} nothing={t('All reachable')} />
}
