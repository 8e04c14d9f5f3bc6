import {
  type Finding as ContractFinding,
  FINDING_STATES,
  type FindingState,
} from '@sallyport/contract/resources/monitor/doctor.ts'
import { type Language, type Say, translate } from '../i18n/translate.ts'
import { inTime } from '../in-time.ts'
import { Slots } from '../slots.ts'
import { type Check, NotChecked, type Outcome, type Place } from './check.ts'
import { lineOf } from './line-of.ts'

/** Checks that run at a time. */
const AT_ONCE = 6
/** Milliseconds that a check may take when it does not say otherwise. */
export const CHECK_LIMIT_MS = 15_000

/** The outcome of a check, with its name. */
export interface Finding extends Outcome {
  name: string
  title: string
}

/** A finding as it is shown, in one language. */
export type ShownFinding = ContractFinding

/**
 * Makes all checks, a few at a time. Never throws: a check that fails or hangs is a finding itself.
 * @param found called with the findings of each check as soon as it ends
 * @returns what is wrong first
 */
export async function runChecks(
  checks: readonly Check[],
  place: Place,
  found: (findings: readonly Finding[]) => void = () => {},
): Promise<Finding[]> {
  const slots = new Slots(AT_ONCE)
  const all = await Promise.all(
    checks.map((check) =>
      slots.use(async () => {
        const findings = (await outcomesOf(check, place)).map((outcome) => named(check, outcome))
        found(findings)
        return findings
      }),
    ),
  )
  return sortFindings(all.flat())
}

/** The same finding of every check that could not be made, for one reason. */
export const allWith = (checks: readonly Check[], outcome: Outcome): Finding[] =>
  checks.map((check) => named(check, outcome))

const named = ({ name, title }: Check, outcome: Outcome): Finding => ({ name, title, ...outcome })

/** Worst first, otherwise in order. */
export const sortFindings = <T extends { state: FindingState }>(findings: readonly T[]): T[] =>
  findings.toSorted((one, other) => FINDING_STATES.indexOf(other.state) - FINDING_STATES.indexOf(one.state))

async function outcomesOf({ run, limitMs = CHECK_LIMIT_MS }: Check, place: Place): Promise<readonly Outcome[]> {
  const end = new AbortController()
  try {
    // A check that fails before its first wait counts like one that fails later.
    const work = (async () => run(place, end.signal))()
    return [await inTime(work, limitMs, () => new Late())].flat()
  } catch (error) {
    return [outcomeOf(error, limitMs)]
  } finally {
    end.abort()
  }
}

class Late extends Error {}

function outcomeOf(error: unknown, limitMs: number): Outcome {
  if (error instanceof NotChecked) return { state: 'not checked', words: error.words, mend: error.mend }
  if (error instanceof Late)
    return {
      state: 'error',
      words: (say) => say('This check did not end within {{seconds|second|seconds}}.', { seconds: limitMs / 1000 }),
      mend: (say) =>
        say('What it asks hangs: look at the network and the service that it is about, then run it again.'),
    }
  // PostgreSQL's code for a table that is not there.
  if ((error as { code?: string }).code === '42P01' || (error as { cause?: { code?: string } }).cause?.code === '42P01')
    return { state: 'not checked', words: (say) => say('It needs tables that this database does not have.') }
  const message = lineOf(error)
  return {
    state: 'error',
    words: (say) => say('This check failed: {{message}}', { message }),
    mend: (say) => say('Send the support archive to those who support you.'),
  }
}

/** The finding in that language. */
export function inWords({ name, title, subject = '', state, words, mend }: Finding, language: Language): ShownFinding {
  const say: Say = (english, values) => translate(language, english, values)
  return {
    name,
    title: say(title),
    subject,
    state,
    words: words(say, language),
    mend: mend?.(say, language) ?? '',
  }
}
