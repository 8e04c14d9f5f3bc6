import type { CommandRule } from '../../domains/command-filters/index.ts'
import { CONFIRM, DENY, type Found, type RuleSet } from './rule-set.ts'
import { commandsIn, type Reading } from './shell/commands-in.ts'
import type { SeenCommand } from './shell/seen-commands.ts'
import type { Unresolved } from './shell/words.ts'

export type Action = 'allow' | 'deny' | 'confirm'

/** Decision on a text, and the rule that made it; without one, none is about it. */
export interface Ruling {
  action: Action
  rule?: CommandRule | undefined
  /** Match of the rule, as it is in the text. */
  match: string
  /** The rule took too long to be tried, which counts as denied. */
  isTooSlow?: boolean
  /** No rule denies it: it is nested or grows deeper than is read, where some rule denies something. */
  isTooMuch?: boolean
}

/** A command that a text runs, with its own ruling. */
export interface JudgedPart extends Ruling, Pick<SeenCommand, 'source' | 'text'> {}

export interface Judgement extends Ruling {
  parts: JudgedPart[]
  /** Parts that are unknown before it runs; an allow-list denies them. */
  unresolved: Unresolved[]
}

const ALLOWED: Ruling = { action: 'allow', match: '' }
const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, confirm: 1, deny: 2 }
const TOO_MUCH: Ruling = { action: 'deny', match: '', isTooMuch: true }
const NOT_READ: Reading = { commands: [], possible: [], unresolved: [], readsInput: false, isTooMuch: false }

/**
 * Judges a text as it was typed and, where a shell is to run it, each simple command in it; the
 * strictest ruling counts. Under an allow-list every command needs a rule that allows it, and what
 * can't be resolved is denied. What is too intricate to be read is denied by any rules but those that only allow.
 * `isTyped`: at a prompt, where some shells know no comments.
 */
export function judge(set: RuleSet, written: string, isForShell: boolean, isTyped = true): Judgement {
  // Shells leave out zero bytes (bash warns of them), wherever they stand.
  const text = isForShell ? written.replaceAll('\0', '') : written
  const reading = isForShell && !set.isEmpty ? commandsIn(text, isTyped) : NOT_READ
  const { commands, possible, unresolved } = reading
  const isListed = set.isAllowList && isForShell
  // The lines of a text that could not be read count as its commands.
  const lines = unresolved.length && text.includes('\n') ? text.split(/[\r\n]+/).filter(Boolean) : []
  const texts = commands.flatMap(({ source, text: one }) => [source, one, withoutPath(one) ?? one])
  const rulingOf = rulings(set, [text, ...lines, ...texts, ...possible])

  // Under an allow-list the last rule is about single commands: what joins them is not listed.
  const whole = isListed ? withoutLast(set, rulingOf(text)) : rulingOf(text)
  const parts = commands
    .filter((command) => !isCovered(command, rulingOf))
    .map((command) => {
      const asWritten = isListed ? withoutLast(set, rulingOf(command.source)) : rulingOf(command.source)
      const all = [rulingOf(command.text), asWritten, byName(set, command, rulingOf)]
      return { text: command.text, source: command.source, ...strictest(set, all) }
    })
  const obscure: Ruling[] = isListed
    ? unresolved.map(({ text: match }) => ({ action: 'deny', rule: set.last, match }))
    : []
  const ofLines = isListed ? [] : lines.map(rulingOf)
  const ofPossible = possible.map((one) => withoutLast(set, rulingOf(one)))
  const tooMuch = reading.isTooMuch && set.isRestrictive ? [TOO_MUCH] : []
  return { ...strictest(set, [whole, ...ofLines, ...parts, ...obscure, ...ofPossible, ...tooMuch]), parts, unresolved }
}

/** A command without the folder of its program; undefined where it names none. */
function withoutPath(command: string): string | undefined {
  return /^[^\s=]*\/([^\s/]+(?:\s.*)?)$/s.exec(command)?.[1]
}

/**
 * A ruling on a program is one on it in any folder (`/bin/rm`), unless a rule allows it where it
 * is. A program on an allow-list may lie in any other folder.
 */
function byName(set: RuleSet, { text }: SeenCommand, rulingOf: (text: string) => Ruling): Ruling {
  const name = withoutPath(text)
  const { action, rule } = rulingOf(text)
  return name === undefined || (action === 'allow' && rule) ? ALLOWED : withoutLast(set, rulingOf(name))
}

/** The ruling on each of these texts, found in one search. */
function rulings(set: RuleSet, texts: readonly string[]): (text: string) => Ruling {
  const different = [...new Set(texts)]
  const found = set.find(different)
  const byText = new Map(different.map((text, at) => [text, rulingOn(found[at])]))
  return (text) => byText.get(text) ?? ALLOWED
}

function rulingOn(found: Found | undefined): Ruling {
  if (!found) return ALLOWED
  const { rule, match, isTooSlow } = found
  if (isTooSlow || rule.action === DENY) return { action: 'deny', rule, match, isTooSlow }
  return { action: rule.action === CONFIRM ? 'confirm' : 'allow', rule, match }
}

/** Under an allow-list, without the rule that denies everything. */
function withoutLast(set: RuleSet, ruling: Ruling): Ruling {
  return set.isAllowList && ruling.rule === set.last && !ruling.isTooSlow ? ALLOWED : ruling
}

/**
 * Whether a rule allows the longer command that this one is the end of: `sudo ls` counts for `ls`.
 */
function isCovered({ within }: SeenCommand, rulingOf: (text: string) => Ruling): boolean {
  if (!within) return false
  const { action, rule } = rulingOf(within.text)
  return (action === 'allow' && rule !== undefined) || isCovered(within, rulingOf)
}

/** The first rule's among those that are equally strict. */
export function strictest(set: RuleSet, rulings: readonly Ruling[]): Ruling {
  return rulings.reduce((before, ruling) => {
    const stricter = STRICTNESS[ruling.action] - STRICTNESS[before.action]
    return stricter > 0 || (stricter === 0 && placeOf(set, ruling) < placeOf(set, before)) ? ruling : before
  }, ALLOWED)
}

/** Place of a ruling's rule in the set; behind them all where no rule is about it. */
export const placeOf = (set: RuleSet, { rule }: Ruling): number => (rule ? set.rules.indexOf(rule) : set.rules.length)
