import { type ChangeAuthPlan, changeAuthPlan } from '@sallyport/contract/resources/accounts/change-auth-plan.ts'
import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { node } from '@sallyport/contract/resources/assets/node.ts'
import { RelationCard } from '../../../generic/detail/RelationCard.tsx'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { addressOf } from '../../../navigation/routes.ts'

/** An id that nothing has: no ids at all would not narrow the list. */
const NONE = '00000000-0000-0000-0000-000000000000'

/** The targets of a plan: the assets that it names, those below its nodes, and the nodes. */
export function PlanTargets({ row, refresh }: DetailProps<ChangeAuthPlan>) {
  const path = `${changeAuthPlan.path}${row.id}/`
  return (
    <div className="detail-grid">
      <RelationCard
        title={t('Assets (including child nodes)')}
        related={{
          path: `${path}assets/`,
          words: (one) => `${one.hostname}(${one.ip})`,
          address: (one) => addressOf('AssetDetail', { id: one.id }),
        }}
        choose={{ path: asset.path, display: asset.display }}
        add={(assets) => api.patch(`${path}asset/add/`, { assets })}
        remove={(one) => api.patch(`${path}asset/remove/`, { assets: [one.id] })}
        onChanged={() => void refresh()}
      />
      <div className="detail-side">
        <RelationCard
          title={t('Nodes')}
          related={{
            path: node.path,
            query: { ids: row.nodes.join(',') || NONE },
            words: (one) => String(one.full_value),
          }}
          choose={{ path: node.path, display: '{full_value}' }}
          add={(ids) => api.patch(`${path}nodes/?action=add`, { nodes: ids })}
          remove={(one) => api.patch(`${path}nodes/?action=remove`, { nodes: [one.id] })}
          onChanged={() => void refresh()}
        />
      </div>
    </div>
  )
}
