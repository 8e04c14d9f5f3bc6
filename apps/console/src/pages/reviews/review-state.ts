import type { AccessReview } from '@sallyport/contract/resources/reviews/access-review.ts'
import type { AccessReviewLine, LineChange, Verdict } from '@sallyport/contract/resources/reviews/access-review-line.ts'
import type { RowState } from '../../generic/view/detail-view.ts'
import { msg, t } from '../../lib/i18n.ts'

const STATES: Readonly<Record<AccessReview['state'], string>> = {
  planned: msg('Planned'),
  beginning: msg('Beginning@@review'),
  open: msg('Under review'),
  ending: msg('Ending@@review'),
  ended: msg('Ended@@review'),
}

/** Whether the server is at work on it. */
export const isUnderWay = ({ state }: Pick<AccessReview, 'state'>): boolean =>
  state === 'beginning' || state === 'ending'

/** How it stands with a review. */
export const stateOf = ({ state, own_amount }: AccessReview): RowState => ({
  tone: state === 'open' ? (own_amount ? 'warning' : 'info') : isUnderWay({ state }) ? 'info' : 'quiet',
  words: t(STATES[state]),
})

const VERDICTS: Readonly<Record<Verdict, readonly [words: string, tone: RowState['tone']]>> = {
  open: [msg('To decide'), 'warning'],
  confirmed: [msg('Confirmed'), 'good'],
  withdrawn: [msg('Withdrawn'), 'quiet'],
  gone: [msg('Had gone already'), 'quiet'],
  kept: [msg('Kept without a decision'), 'warning'],
  lapsed: [msg('Withdrawn at the end'), 'quiet'],
}

/** The decision about a grant. */
export function verdictOf({ verdict }: Pick<AccessReviewLine, 'verdict'>): RowState {
  const [words, tone] = VERDICTS[verdict]
  return { tone, words: t(words) }
}

const CHANGES: Readonly<Record<LineChange, string>> = {
  gone: msg('The grant is gone'),
  is_active: msg('Switched on or off'),
  actions: msg('Actions@@permission'),
  date_start: msg('Start'),
  date_expired: msg('End'),
  targets: msg('Targets'),
  nodes: msg('Nodes'),
  system_users: msg('System users@@field'),
  databases: msg('Databases'),
  forwarding: msg('Port forwarding'),
}

/** Changes of a grant since the review began. */
export const changesInWords = ({ changes }: AccessReviewLine): string =>
  changes.map((change) => t(CHANGES[change])).join(', ')

/** Lines that are decided, in percent. */
export const percentOf = ({ lines_amount, open_amount }: AccessReview): number =>
  lines_amount ? ((lines_amount - open_amount) / lines_amount) * 100 : 100
