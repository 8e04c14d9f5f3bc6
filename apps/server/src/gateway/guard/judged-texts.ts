import { awaitedLater } from '../../kernel/background.ts'
import type { Confirmation, Verdict } from './guard.ts'

const SEVERITY: { [A in Verdict['action']]: number } = { allow: 0, confirm: 1, deny: 2 }

/** Texts that are compared with each other. */
const FEW = 8

/**
 * The strictest of what is said of texts that may all be what runs; of several confirmations the one whose
 * rule comes first, as within one text; else of equally strict ones the first. At once where all are judged at once.
 */
export function judgedTexts(
  texts: readonly (string | undefined)[],
  judge: (text: string) => Verdict | Promise<Verdict>,
): Verdict | Promise<Verdict> {
  const [only] = texts
  if (texts.length === 1 && only !== undefined) return judge(only)
  // One that fails at once leaves the others behind.
  const judged = (text: string) => {
    const verdict = judge(text)
    return verdict instanceof Promise ? awaitedLater(verdict) : verdict
  }
  const verdicts = differentOf(texts).map((text) => judged(text))
  if (verdicts.some((one) => one instanceof Promise)) return Promise.all(verdicts).then(strictest)
  return strictest(verdicts as Verdict[])
}

/** Few are compared with each other: a set would look at every sign of each. */
function differentOf(texts: readonly (string | undefined)[]): string[] {
  const different = texts.length > FEW ? [...new Set(texts)] : texts.filter((text, at) => texts.indexOf(text) === at)
  return different.filter((text) => text !== undefined)
}

function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((worst, one) => (isStricter(one, worst) ? one : worst), { action: 'allow' } as Verdict)
}

function isStricter(one: Verdict, other: Verdict): boolean {
  if (one.action === 'confirm' && other.action === 'confirm') return placeOf(one) < placeOf(other)
  return SEVERITY[one.action] > SEVERITY[other.action]
}

const placeOf = ({ place = Number.POSITIVE_INFINITY }: Confirmation) => place
