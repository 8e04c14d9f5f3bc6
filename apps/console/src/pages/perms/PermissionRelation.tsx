import { RelationCard } from '../../generic/detail/RelationCard.tsx'
import type { RemoteSelectProps } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { assetsBelow } from '../assets/assets-below.ts'

/** Where the related rows are shown, by the field of the relation. */
const ADDRESSES: Readonly<Record<string, (id: string) => string | undefined>> = {
  usergroup: (id) => addressOf('UserGroupDetail', { id }),
  node: assetsBelow,
  systemuser: (id) => addressOf('SystemUserDetail', { id }),
}

interface PermissionRelationProps {
  /** Already translated. */
  title: string
  /** The permission in the relation. */
  owner: string
  /** Relation list of a permission. */
  path: string
  /** Field of the relation besides the permission: `usergroup`, `node`, `systemuser`. */
  field: string
  permission: string
  choose: Pick<RemoteSelectProps, 'path' | 'display' | 'query'>
  /** The last one can't be taken away. */
  keepsLast?: boolean
  onChanged: () => void
}

/**
 * Groups, nodes or system users of a permission, added and removed one by one through their
 * relation.
 */
export function PermissionRelation(props: PermissionRelationProps) {
  const { title, owner, path, field, permission, choose, keepsLast = false, onChanged } = props
  return (
    <RelationCard
      title={title}
      related={{
        path,
        query: { [owner]: permission },
        words: (row) => String(row[`${field}_display`]),
        id: (row) => String(row[field]),
        address: (row) => ADDRESSES[field]?.(String(row[field])),
      }}
      choose={{ path: choose.path, display: choose.display, ...(choose.query ? { query: choose.query } : {}) }}
      add={(ids) =>
        api.post(
          path,
          ids.map((id) => ({ [owner]: permission, [field]: id })),
        )
      }
      remove={(row) =>
        api.delete(path, {
          query: { [owner]: permission, [field]: String(row[field]) },
          failed: t('Remove failed'),
        })
      }
      keepsLast={keepsLast}
      onChanged={onChanged}
    />
  )
}
