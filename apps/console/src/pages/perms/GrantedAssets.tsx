import { lazily } from '../../design/lazily.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'

const GrantedAssets = lazily(() => import('./GrantedAssetsBody.tsx').then((m) => m.GrantedAssetsBody))

/** What a person was granted. */
export const GrantedToUser = ({ row }: DetailProps) => (
  <GrantedAssets key={row.id} prefix={`/api/v1/perms/users/${row.id}/`} />
)
/** What a group was granted. */
export const GrantedToGroup = ({ row }: DetailProps) => (
  <GrantedAssets key={row.id} prefix={`/api/v1/perms/user-groups/${row.id}/`} />
)
