import type { ApplicationPermission } from '@sallyport/contract/resources/perms/application-permission.ts'
import type { AssetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import {
  CalendarIcon,
  CheckIcon,
  CloudIcon,
  DatabaseIcon,
  FolderIcon,
  KeyRoundIcon,
  MonitorIcon,
  ServerIcon,
  UserIcon,
  UsersIcon,
} from 'lucide-react'
import { type Named, NamesInWords, Sentence } from '../../generic/detail/Sentence.tsx'
import { actionList } from '../../generic/permission-actions/action-words.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { endOf, formatDate, parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { applicationAddress } from '../application-address.ts'
import { assetsBelow } from '../assets/assets-below.ts'
import { RuleGraph, type RuleStep } from '../RuleGraph.tsx'

/** Ids and their names, which the server answers in the same order. */
function named(ids: unknown, words: unknown, address: (id: string) => string | undefined): Named[] {
  const names = (words ?? []) as readonly string[]
  return ((ids ?? []) as readonly string[]).map((id, at) => ({ words: names[at] ?? id, address: address(id) }))
}

/** From when until when a permission counts, in words. */
export function timeOf({ date_start, date_expired }: Pick<AssetPermission, 'date_start' | 'date_expired'>): string {
  const begin = parseDate(date_start)
  const end = endOf(date_expired)
  const start = begin && begin.getTime() > Date.now() ? formatDate(date_start, 'short') : undefined
  if (start) return end ? t('from {{start}} until {{end}}', { start, end }) : t('from {{start}} on', { start })
  return end ? t('until {{end}}', { end }) : t('without an end')
}

type Icon = typeof UserIcon

const withIcon = (things: readonly Named[], icon: Icon): RuleStep['things'] => {
  const Icon = icon
  return things.map((thing) => ({ ...thing, icon: <Icon aria-hidden="true" /> }))
}

/** A permission on machines in a sentence, and the way who → what → as whom → may do what → until when. */
export function AssetPermissionSummary({ row }: DetailProps<AssetPermission>) {
  const nodes = named(row.nodes, row.nodes_display, assetsBelow)
  const assets = named(row.assets, row.assets_display, (id) => addressOf('AssetDetail', { id }))
  return (
    <PermissionSummary
      row={row}
      targets={[...withIcon(nodes, FolderIcon), ...withIcon(assets, ServerIcon)]}
      forwarding={forwardingOf(row)}
    />
  )
}

/** Where connections may be forwarded to, if anywhere. */
function forwardingOf({ forwarding, forwarding_destinations }: AssetPermission): readonly Named[] {
  if (forwarding === 'machine') return [{ words: t('the machine itself@@sentence') }]
  return forwarding === 'listed' ? (forwarding_destinations ?? []).map((words) => ({ words })) : []
}

const CATEGORY_ICONS: Readonly<Record<string, Icon>> = { db: DatabaseIcon, remote_app: MonitorIcon, cloud: CloudIcon }

/** The same of a permission on applications. */
export function ApplicationPermissionSummary({ row }: DetailProps<ApplicationPermission>) {
  const { category, databases } = row
  const applications = named(row.applications, row.applications_display, (id) => applicationAddress(category, id))
  const targets = withIcon(applications, CATEGORY_ICONS[category] ?? ServerIcon)
  return <PermissionSummary row={row} targets={targets} databases={(databases ?? []).map((words) => ({ words }))} />
}

/** What permissions of all families have. */
type Permission = Pick<
  AssetPermission,
  | 'user_groups'
  | 'user_groups_display'
  | 'users'
  | 'users_display'
  | 'system_users'
  | 'system_users_display'
  | 'actions'
  | 'date_start'
  | 'date_expired'
>

interface PermissionSummaryProps {
  row: Permission
  targets: RuleStep['things']
  /** The only ones of the targets' servers; none: all. */
  databases?: readonly Named[]
  /** Where connections may be forwarded to from there. */
  forwarding?: readonly Named[]
}

function PermissionSummary({ row, targets, databases = [], forwarding = [] }: PermissionSummaryProps) {
  const groups = named(row.user_groups, row.user_groups_display, (id) => addressOf('UserGroupDetail', { id }))
  const users = named(row.users, row.users_display, (id) => addressOf('UserDetail', { id }))
  const accounts = named(row.system_users, row.system_users_display, (id) => addressOf('SystemUserDetail', { id }))
  const actions = actionList(row.actions ?? []).map((words) => ({ words }))
  return (
    <RuleGraph
      label={t('What it allows')}
      steps={[
        {
          title: t('Who'),
          things: [...withIcon(groups, UsersIcon), ...withIcon(users, UserIcon)],
          none: t('Nobody yet'),
        },
        {
          title: t('What'),
          things: [...targets, ...withIcon(databases, DatabaseIcon)],
          none: t('Nothing yet'),
        },
        { title: t('Account@@heading'), things: withIcon(accounts, KeyRoundIcon), none: t('No account yet') },
        { title: t('Actions@@heading'), things: withIcon(actions, CheckIcon), none: t('Nothing yet') },
        { title: t('Validity'), things: withIcon([{ words: timeOf(row) }], CalendarIcon), none: '' },
      ]}
    >
      <Sentence
        text={t('{{who}} may use {{what}} as {{whom}}, {{time}}. Allowed: {{actions}}.')}
        parts={{
          who: <NamesInWords things={[...groups, ...users]} none={t('Nobody@@sentence')} />,
          what: <NamesInWords things={targets} none={t('nothing@@sentence')} />,
          whom: <NamesInWords things={accounts} none={t('nobody@@sentence')} />,
          actions: <NamesInWords things={actions} most={6} none={t('nothing@@sentence')} />,
          time: timeOf(row),
        }}
      />
      {databases.length > 0 && (
        <>
          {' '}
          <Sentence
            text={t('Only these databases of the server: {{databases}}.')}
            parts={{ databases: <NamesInWords things={databases} most={6} none="" /> }}
          />
        </>
      )}
      {forwarding.length > 0 && (
        <>
          {' '}
          <Sentence
            text={t('Ports are forwarded to: {{destinations}}. Their content is not recorded.')}
            parts={{ destinations: <NamesInWords things={forwarding} most={6} none="" /> }}
          />
        </>
      )}
    </RuleGraph>
  )
}
