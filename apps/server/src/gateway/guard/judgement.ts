import type { CommandRule } from '../../domains/assets/index.ts'
import { CONFIRM, DENY, type Found, type RuleSet } from './rule-set.ts'

/** What is to happen to a text, and the rule that says so; without one, none is about it. */
export interface Judgement {
  action: 'allow' | 'deny' | 'confirm'
  rule?: CommandRule | undefined
  /** What the rule found, as it stands in the text. */
  match: string
  /** The rule took too long to be tried, which counts as denied. */
  isTooSlow?: boolean
}

const ALLOWED: Judgement = { action: 'allow', match: '' }

/** Judges a text by rules alone (contract/gateway.yaml command_filter decision). */
export function judge(set: RuleSet, text: string): Judgement {
  const [found] = set.find([text])
  return judgementOf(found)
}

function judgementOf(found: Found | undefined): Judgement {
  if (!found) return ALLOWED
  const { rule, match, isTooSlow } = found
  if (isTooSlow || rule.action === DENY) return { action: 'deny', rule, match, isTooSlow }
  return { action: rule.action === CONFIRM ? 'confirm' : 'allow', rule, match }
}
