import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { lazily } from '../../design/lazily.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'

/** Comments and events of a ticket, and the person's actions. */
export const Comments = lazily<DetailProps<Ticket>>(() => import('./CommentsBody.tsx').then((m) => m.CommentsBody))
