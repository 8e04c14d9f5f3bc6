import { lazily } from '../../design/lazily.tsx'

/** Where a text stood on the screen, in all recordings between two dates. */
export const ReplaySearch = lazily<object>(() => import('./ReplaySearchBody.tsx').then((m) => m.ReplaySearchBody))
