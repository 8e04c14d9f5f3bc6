import type { AssetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { CalendarIcon, CheckIcon, FolderIcon, KeyRoundIcon, ServerIcon, UserIcon, UsersIcon } from 'lucide-react'
import { type Named, NamesInWords, Sentence } from '../../generic/detail/Sentence.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { formatDate, parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { assetsBelow } from '../assets/assets-below.ts'
import { RuleGraph } from '../RuleGraph.tsx'
import { endOf } from '../row-states.ts'
import { actionList } from './action-words.ts'

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

/** A permission in a sentence, and the way who → what → as whom → may do what → until when. */
export function PermissionSummary({ row }: DetailProps<AssetPermission>) {
  const groups = named(row.user_groups, row.user_groups_display, (id) => addressOf('UserGroupDetail', { id }))
  const users = named(row.users, row.users_display, (id) => addressOf('UserDetail', { id }))
  const nodes = named(row.nodes, row.nodes_display, assetsBelow)
  const assets = named(row.assets, row.assets_display, (id) => addressOf('AssetDetail', { id }))
  const accounts = named(row.system_users, row.system_users_display, (id) => addressOf('SystemUserDetail', { id }))
  const actions = actionList(row.actions ?? []).map((words) => ({ words }))
  const withIcon = (things: readonly Named[], icon: typeof UserIcon) => {
    const Icon = icon
    return things.map((thing) => ({ ...thing, icon: <Icon aria-hidden="true" /> }))
  }
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
          things: [...withIcon(nodes, FolderIcon), ...withIcon(assets, ServerIcon)],
          none: t('Nothing yet'),
        },
        { title: t('As whom'), things: withIcon(accounts, KeyRoundIcon), none: t('No account yet') },
        { title: t('May do what'), things: withIcon(actions, CheckIcon), none: t('Nothing yet') },
        { title: t('How long'), things: withIcon([{ words: timeOf(row) }], CalendarIcon), none: '' },
      ]}
    >
      <Sentence
        text={t('{{who}} may use {{what}} as {{whom}}, {{time}}. Allowed: {{actions}}.')}
        parts={{
          who: <NamesInWords things={[...groups, ...users]} none={t('Nobody@@sentence')} />,
          what: <NamesInWords things={[...nodes, ...assets]} none={t('nothing@@sentence')} />,
          whom: <NamesInWords things={accounts} none={t('nobody@@sentence')} />,
          actions: <NamesInWords things={actions} most={6} none={t('nothing@@sentence')} />,
          time: timeOf(row),
        }}
      />
    </RuleGraph>
  )
}
