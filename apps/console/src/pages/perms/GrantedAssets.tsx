import { lazily } from '../../design/lazily.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'

const GrantedAssets = lazily(() => import('./GrantedAssetsBody.tsx').then((m) => m.GrantedAssetsBody))

/** Assets of a person. */
export const GrantedToUser = ({ row }: DetailProps) => (
  <GrantedAssets key={row.id} prefix={`/api/v1/perms/users/${row.id}/`} />
)
/** Assets of a group. */
export const GrantedToGroup = ({ row }: DetailProps) => (
  <GrantedAssets key={row.id} prefix={`/api/v1/perms/user-groups/${row.id}/`} />
)
