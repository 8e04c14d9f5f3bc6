import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import type { DetailProps } from '../../generic/define-pages.ts'
import { lazily } from '../../generic/lazily.tsx'

/** What was said and done about a ticket, and what the person may do. */
export const Comments = lazily<DetailProps<Ticket>>(() => import('./CommentsBody.tsx').then((m) => m.CommentsBody))
