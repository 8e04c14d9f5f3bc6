import { type CommandFilter, commandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { RelationCard } from '../../generic/detail/RelationCard.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { systemUserWords } from '../assets/system-user-words.ts'
import { JUDGED_PROTOCOLS } from './judged-protocols.ts'

/** The system users whose sessions obey the filter. */
export function FilterSystemUsers({ row, refresh }: DetailProps<CommandFilter>) {
  const set = (system_users: string[]) => api.patch(`${commandFilter.path}${row.id}/`, { system_users })
  return (
    <RelationCard
      key={row.system_users.join()}
      title={t('System users@@card')}
      related={{
        path: systemUser.path,
        query: { ids: row.system_users.join(',') || 'none' },
        words: systemUserWords,
        address: ({ id }) => addressOf('SystemUserDetail', { id }),
      }}
      choose={{ path: systemUser.path, display: systemUserWords, query: JUDGED_PROTOCOLS }}
      add={(ids) => set([...new Set([...row.system_users, ...ids])])}
      remove={({ id }) => set(row.system_users.filter((one) => one !== id))}
      onChanged={refresh}
    />
  )
}
