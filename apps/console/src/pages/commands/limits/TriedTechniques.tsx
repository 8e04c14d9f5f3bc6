import { lazily } from '../../../design/lazily.tsx'

/** The ways around rules that the tests try, and what became of each. */
export const TriedTechniques = lazily(() => import('./TriedTechniquesBody.tsx').then((m) => m.TriedTechniquesBody))
