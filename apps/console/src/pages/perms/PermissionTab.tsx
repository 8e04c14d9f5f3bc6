import type { DetailProps } from '../../generic/view/detail-view.ts'
import type { RemoteSelectProps } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { api, type Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { AssociateCard } from '../assets/AssociateCard.tsx'
import { CoveredTable } from './CoveredTable.tsx'
import { PermissionRelation } from './PermissionRelation.tsx'
import type { PermissionFamily } from './permission-family.ts'

type Choose<R> = (row: R) => Pick<RemoteSelectProps, 'path' | 'display' | 'query'>

/** A tab of a permission's page: what it covers in all, and what it names. Titles are marked with `msg`. */
export interface TabOfPermission<R extends Row = Row> {
  family: PermissionFamily
  covered: {
    title: string
    /** Wire name of what is covered. */
    name: 'user' | 'asset' | 'application'
    /** Relation of what is named directly. */
    path: string
    address: (id: string, row: R) => string | undefined
    empty: string
  }
  add: { title: string; choose: Choose<R> }
  related: readonly {
    title: string
    path: string
    /** Field of the relation besides the permission. */
    field: 'usergroup' | 'node' | 'systemuser'
    choose: Choose<R>
    keepsLast?: boolean
  }[]
}

export const permissionTab =
  <R extends Row>(tab: TabOfPermission<R>) =>
  ({ row }: DetailProps<R>) => <PermissionTab row={row} tab={tab} />

function PermissionTab<R extends Row>({ row, tab }: { row: R; tab: TabOfPermission<R> }) {
  const { family, covered, add, related } = tab
  const { path, owner } = family
  const permission = String(row.id)
  const changed = () => void forget(path)
  return (
    <div className="detail-grid">
      <CoveredTable
        title={t(covered.title)}
        path={`${path}${permission}/${covered.name}s/all/`}
        name={covered.name}
        address={(id) => covered.address(id, row)}
        owner={owner}
        relations={covered.path}
        permission={permission}
        onChanged={changed}
        empty={t(covered.empty)}
      />
      <div className="detail-side">
        <AssociateCard
          title={t(add.title)}
          choose={add.choose(row)}
          changed={covered.path}
          add={async (ids) => {
            await api.post(
              covered.path,
              ids.map((id) => ({ [owner]: permission, [covered.name]: id })),
            )
            changed()
          }}
        />
        {related.map(({ title, choose, ...relation }) => (
          <PermissionRelation
            key={relation.field}
            {...relation}
            title={t(title)}
            owner={owner}
            permission={permission}
            choose={choose(row)}
            onChanged={changed}
          />
        ))}
      </div>
    </div>
  )
}
