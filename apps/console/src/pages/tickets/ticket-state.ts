import type { RowState } from '../../generic/view/detail-view.ts'
import { msg, t } from '../../lib/i18n.ts'

const STATES: Readonly<Record<string, readonly [text: string, tone: RowState['tone']]>> = {
  open: [msg('Open@@ticket'), 'info'],
  notified: [msg('Open@@ticket'), 'info'],
  approved: [msg('Approved@@ticket'), 'good'],
  rejected: [msg('Rejected@@ticket'), 'danger'],
  closed: [msg('Closed@@ticket'), 'quiet'],
}

/** The decision, or that there is none yet (docs/rules/tickets.md#ticket). */
export function stateOf({ state }: { state: string }): RowState {
  const [text, tone] = STATES[state] ?? [state, 'quiet']
  return { tone, words: t(text) }
}
