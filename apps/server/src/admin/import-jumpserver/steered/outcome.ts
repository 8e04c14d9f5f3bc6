import type { MoveOutcome, OutcomeKind, OutcomeRemark } from '../../../domains/moving/index.ts'
import { causeWords } from '../reach/print-proof.ts'
import type { ReachProof } from '../reach/prove-reach.ts'
import { cleaned, oneLine } from '../report/print.ts'
import type { RemarkGroup, Report } from '../report/report.ts'

/** Names of each remark that the page shows; the file has more. */
const NAMES_SHOWN = 5

/** The report as it is stored: sentences in English, few names. */
export const kindsOf = ({ kinds }: Report): OutcomeKind[] =>
  kinds
    .filter(({ read, changed, stays }) => read || changed.size || stays.size)
    .map(({ label, read, added, updated, same, behind, changed, stays }) => ({
      ...{ label, read, added, updated, same, behind },
      changed: remarksOf(changed),
      stays: remarksOf(stays),
    }))

const remarksOf = (groups: ReadonlyMap<string, RemarkGroup>): OutcomeRemark[] =>
  [...groups].map(([sentence, { count, examples }]) => ({
    sentence,
    count,
    examples: examples
      .slice(0, NAMES_SHOWN)
      .map(({ name, values }) => ({ name: oneLine(name), values: cleaned(values) })),
  }))

export const proofOf = ({ people, rights, lost, gained, causes }: ReachProof): NonNullable<MoveOutcome['proof']> => ({
  ...{ people, rights, lost, gained },
  causes: [...causes]
    .sort(([, one], [, other]) => other - one)
    .map(([cause, count]) => ({ sentence: causeWords(cause), count })),
})
