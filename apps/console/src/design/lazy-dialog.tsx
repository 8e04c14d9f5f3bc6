import type { DialogProps } from './Dialog.tsx'
import { lazilyPlain } from './lazily.tsx'

/** A dialog of a page whose first load needs none: draw it only while it is open. */
export const LazyDialog = lazilyPlain<DialogProps>(() => import('./Dialog.tsx').then((m) => m.Dialog))
