import { lazily } from '../../design/lazily.tsx'

/** Select and Add above a list of what is related, for the side of a detail page. */
export const RelationCard = lazily(() => import('./RelationCardBody.tsx').then((m) => m.RelationCardBody))
