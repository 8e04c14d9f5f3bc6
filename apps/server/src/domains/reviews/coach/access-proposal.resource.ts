import { actionNames } from '@sallyport/contract/actions.ts'
import { accessProposal, type ProposedChange } from '@sallyport/contract/resources/reviews/access-proposal.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { reviewsProposal } from '../tables.ts'

const DAY_MS = 86_400_000

/** What 90 days of use suggest to change. */
export default function mountAccessProposals(kernel: Kernel): void {
  mountResource(kernel, accessProposal, {
    table: reviewsProposal,
    computed: [
      {
        fields: ['change'],
        load: async (rows) => rows.map(({ change }) => ({ change: change && callOf(change) })),
      },
      {
        fields: ['facts'],
        load: async (rows) =>
          rows.map(({ facts }) => ({
            facts: typeof facts.actions === 'number' ? { ...facts, actions: actionNames(facts.actions) } : facts,
          })),
      },
    ],
  })
}

/** The change as a call takes it: names of actions, and a date that counts from now. */
export function callOf({ body, ...change }: ProposedChange): ProposedChange {
  const { mask, days, ...rest } = body
  return {
    ...change,
    body: {
      ...rest,
      ...(typeof mask === 'number' ? { actions: actionNames(mask) } : {}),
      ...(typeof days === 'number' ? { date_expired: new Date(Date.now() + days * DAY_MS).toISOString() } : {}),
    },
  }
}
