import { lazily } from '../../design/lazily.tsx'

/** The nodes in which somebody was granted something. */
export const GrantedTree = lazily(() => import('./GrantedTreePanel.tsx').then((m) => m.GrantedTreePanel))
