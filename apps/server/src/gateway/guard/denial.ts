import { type Notice, notice } from '../session/notice.ts'
import type { Grounds } from './guard.ts'
import type { Ruling } from './judgement.ts'

/** Longest part of a text that rows and notices repeat, in characters. */
const MAX_MATCH = 128

/** Grounds of a ruling for rows and notices; undefined where no rule decided. */
export function groundsOf({ rule, match }: Ruling): Grounds | undefined {
  if (!rule) return undefined
  return { rule: rule.id, filter: rule.filter_name, match: inOneLine(match) }
}

/** A reader at a terminal sees plain text, whatever it holds. */
function inOneLine(match: string): string {
  return match
    .slice(0, MAX_MATCH)
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
}

/** Why a command is not run; `grounds`: of the rule that denies it. */
export function denialOf({ isTooSlow = false }: Ruling, grounds: Grounds | undefined): Notice {
  if (!grounds) return TOO_MUCH
  const { filter, match } = grounds
  if (isTooSlow)
    return notice(
      'unjudged',
      'A rule of the filter {{filter}} took too long on this, so it was not run',
      { filter },
      'urgent',
    )
  return notice('denied', 'Command `{{match}}` is forbidden', { match }, 'urgent')
}

const TOO_MUCH = notice(
  'unjudged',
  'This is nested, or grows, deeper than can be checked against the rules, so it was not run',
  {},
  'urgent',
)

/** Why nothing is run of what was not looked at as a whole. */
export const NOT_SEEN_WHOLE = notice(
  'unjudged',
  'Only a part of this could be checked against the rules, so it was not run',
  {},
  'urgent',
)

/** Why keys are not sent that make something of a line which nobody has looked at. */
export const RUNS_UNSEEN = notice(
  'unjudged',
  'These keys run what can not be checked against the rules, so they were not sent',
  {},
  'urgent',
)
