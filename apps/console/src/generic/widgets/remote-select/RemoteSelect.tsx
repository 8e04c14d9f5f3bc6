import { lazily } from '../../../design/lazily.tsx'
import { AfterPlainOnes } from '../once-wanted.tsx'
import type { RemoteSelectProps } from './RemoteSelectBody.tsx'

const Select = lazily(
  () => import('./RemoteSelectBody.tsx').then((m) => m.RemoteSelectBody),
  <span className="select-ghost" />,
)

/** A select that reads pages of a list as they are wanted (B7.31 B9.07). */
export const RemoteSelect = Object.assign(
  (props: RemoteSelectProps) => (
    <AfterPlainOnes>
      <Select {...props} />
    </AfterPlainOnes>
  ),
  { preload: Select.preload },
)
