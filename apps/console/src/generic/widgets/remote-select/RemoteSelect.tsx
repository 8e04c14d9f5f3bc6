import { lazily } from '../../../design/lazily.tsx'

/** A select that reads pages of a list as they are wanted (spec B7.31 B9.07). */
export const RemoteSelect = lazily(
  () => import('./RemoteSelectBody.tsx').then((m) => m.RemoteSelectBody),
  <span className="select-ghost" />,
)
