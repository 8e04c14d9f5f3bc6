import { lazily } from '../../design/lazily.tsx'
import type { WidgetProps } from '../../generic/view/form-view.ts'

/** Regions of the account that the form names. */
export const RegionSelect = lazily<WidgetProps<string[]>>(() =>
  import('./RegionSelectBody.tsx').then((m) => m.RegionSelectBody),
)
