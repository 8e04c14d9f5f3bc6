import {
  type AppChangeAuthPlan,
  appChangeAuthPlan,
} from '@sallyport/contract/resources/accounts/app-change-auth-plan.ts'
import { application } from '@sallyport/contract/resources/applications/application.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { RelationCard } from '../../../generic/detail/RelationCard.tsx'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { addressOf } from '../../../navigation/routes.ts'
import { applicationAddress } from '../../application-address.ts'

/** An id that nothing has: no ids at all would not narrow the list. */
const NONE = '00000000-0000-0000-0000-000000000000'

/** Accounts whose passwords a plan changes, and where. */
export function AppPlanSystemUsers({ row, refresh }: DetailProps<AppChangeAuthPlan>) {
  const path = `${appChangeAuthPlan.path}${row.id}/`
  const setApps = (apps: readonly string[]) => api.patch(path, { apps })
  return (
    <div className="detail-grid">
      <RelationCard
        title={t('System users')}
        related={{
          path: `${path}systemusers/`,
          words: (one) => `${one.name}(${one.username})`,
          address: (one) => addressOf('SystemUserDetail', { id: one.id }),
        }}
        choose={{ path: systemUser.path, display: systemUser.display, query: { protocol: row.type } }}
        add={(ids) => api.patch(`${path}systemusers/?action=add`, { system_users: ids })}
        remove={(one) => api.patch(`${path}systemusers/?action=remove`, { system_users: [one.id] })}
        onChanged={() => void refresh()}
      />
      <div className="detail-side">
        <RelationCard
          title={t('Applications')}
          related={{
            path: application.path,
            query: { ids: row.apps.join(',') || NONE },
            words: (one) => String(one.name),
            address: (one) => applicationAddress('db', one.id) ?? undefined,
          }}
          choose={{ path: application.path, display: application.display, query: { type: row.type } }}
          add={(ids) => setApps([...row.apps, ...ids])}
          remove={(one) => setApps(row.apps.filter((id) => id !== one.id))}
          onChanged={() => void refresh()}
        />
      </div>
    </div>
  )
}
