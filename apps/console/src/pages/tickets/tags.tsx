import type { RowState } from '../../generic/view/detail-view.ts'
import { msg, t } from '../../lib/i18n.ts'

const STATES: Readonly<Record<string, readonly [text: string, className: string]>> = {
  open: [msg('Open@@ticket'), 'pending'],
  notified: [msg('Open@@ticket'), 'pending'],
  approved: [msg('Approved@@ticket'), 'good'],
  rejected: [msg('Rejected@@ticket'), 'bad'],
  closed: [msg('Closed@@ticket'), 'quiet'],
}

const TONES: Readonly<Record<string, RowState['tone']>> = { pending: 'info', good: 'good', bad: 'danger' }

/** The decision, or that there is none yet (docs/rules/tickets.md#ticket). */
export function StateTag({ state }: { state: string }) {
  const [text, className] = STATES[state] ?? [state, 'quiet']
  return <span className={`state-tag ${className}`}>{t(text)}</span>
}

/** The same beside the title of a ticket. */
export function stateOf({ state }: { state: string }): RowState {
  const [text, className] = STATES[state] ?? [state, 'quiet']
  return { tone: TONES[className] ?? 'quiet', words: t(text) }
}
