import { lazily } from '../../design/lazily.tsx'

/** Which rule decides about a line, and why, for a person who may be chosen. */
export const TryCommand = lazily(() => import('./TryCommandBody.tsx').then((m) => m.TryCommandBody))
