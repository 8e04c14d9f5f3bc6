import { lazily } from '../lazily.tsx'
import type { DialogProps } from './Dialog.tsx'

/** A dialog of a page whose first load needs none: draw it only while it is open. */
export const LazyDialog = lazily<DialogProps>(() => import('./Dialog.tsx').then((m) => m.Dialog))
