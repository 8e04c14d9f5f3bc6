import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { lazily } from '../../design/lazily.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'

/** What was said and done about a ticket, and what the person may do. */
export const Comments = lazily<DetailProps<Ticket>>(() => import('./CommentsBody.tsx').then((m) => m.CommentsBody))
