import type { ActionName } from '@sallyport/contract/actions.ts'
import type { AccessProposal, ProposalKind } from '@sallyport/contract/resources/reviews/access-proposal.ts'
import { actionWords } from '../../generic/permission-actions/action-words.ts'
import type { RowState } from '../../generic/view/detail-view.ts'
import { formatDate, formatNumber } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'

const KINDS: Readonly<Record<ProposalKind, string>> = {
  unused_permission: msg('Permission that nobody used'),
  unused_action: msg('Action that nobody used'),
  idle_person: msg('Person without a sign-in'),
  used_for_a_while: msg('Standing right that was used for a while'),
  many_people: msg('Assets that many people reach'),
}

export const kindInWords = ({ kind }: AccessProposal): string => t(KINDS[kind])

const STATES: Readonly<Record<AccessProposal['state'], readonly [words: string, tone: RowState['tone']]>> = {
  open: [msg('Open@@suggestion'), 'info'],
  applied: [msg('Applied'), 'good'],
  dismissed: [msg('Dismissed'), 'quiet'],
}

export function stateOf({ state }: AccessProposal): RowState {
  const [words, tone] = STATES[state]
  return { tone, words: t(words) }
}

/** The facts of a finding, by kind; times are Unix seconds. */
interface Facts {
  first_use?: number
  last_use?: number | null
  last_seen?: number | null
  date_created?: number
  date_joined?: number
  actions?: ActionName[]
  uses?: number
  people?: number
  assets?: number
  names?: string[]
  permissions?: string[]
}

export const factsOf = (row: AccessProposal): Facts => row.facts as Facts

const day = (seconds: number | null | undefined) => formatDate((seconds ?? 0) * 1000, 'short')

/** The finding in a sentence. */
export function findingInWords(row: AccessProposal): string {
  const { first_use, last_use, last_seen, date_created, date_joined, actions = [], uses = 0, ...wide } = factsOf(row)
  switch (row.kind) {
    case 'unused_permission':
      return last_use
        ? t('Last used on {{date}}', { date: day(last_use) })
        : t('Not used since it was made on {{date}}', { date: day(date_created) })
    case 'unused_action':
      return t('{{count|session|sessions}}, and none used: {{actions}}', { count: uses, actions: actionWords(actions) })
    case 'used_for_a_while':
      return t('{{count|session|sessions}} from {{first}} to {{last}}, and none since', {
        count: uses,
        first: day(first_use),
        last: day(last_use),
      })
    case 'idle_person':
      return last_seen
        ? t('Last here on {{date}}', { date: day(last_seen) })
        : t('Never here since the account was made on {{date}}', { date: day(date_joined) })
    case 'many_people': {
      const { people = 0, assets = 0, names = [] } = wide
      return t('{{people}} people reach {{count|asset|assets}}: {{names}}', {
        people: formatNumber(people),
        count: assets,
        names: names.join(', ') + (assets > names.length ? ' …' : ''),
      })
    }
  }
}

/** The change in a sentence. */
export function changeInWords(row: AccessProposal): string {
  switch (row.kind) {
    case 'unused_permission':
      return t('Switch the permission off')
    case 'unused_action':
      return t('Take away: {{actions}}', { actions: actionWords(factsOf(row).actions ?? []) })
    case 'used_for_a_while':
      return t('Let it end in a week; people can ask for it again by ticket')
    case 'idle_person':
      return t('Switch the account off')
    case 'many_people':
      return t('Review the permissions that lead there')
  }
}
