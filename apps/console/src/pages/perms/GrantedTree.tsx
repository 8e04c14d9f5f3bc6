import { lazily } from '../../generic/lazily.tsx'

export interface GrantedTreeProps {
  /** `/api/v1/perms/users/`, `/api/v1/perms/users/{id}/` or `/api/v1/perms/user-groups/{id}/`. */
  prefix: string
  /** What stands between `nodes/` and `/assets/` for the chosen node; empty for all. */
  chosen: string
  onChoose: (node: string) => void
}

/** The nodes in which somebody was granted something. */
export const GrantedTree = lazily<GrantedTreeProps>(() => import('./GrantedTreePanel.tsx').then((m) => m.GrantedTreePanel))
