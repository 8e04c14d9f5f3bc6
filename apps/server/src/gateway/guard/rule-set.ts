import type { CommandRule } from '../../domains/command-filters/index.ts'
import { type Expression, expressionOf } from './expressions/expression.ts'
import { stepsFor } from './expressions/matching-steps.ts'
import { guarded } from './guarded.ts'

/** docs/rules/assets.md#command_filter_rule */
export const DENY = 0
export const CONFIRM = 2
export const ALLOW = 9

/** Steps of searches that end, whatever the text, within the time that is given to others. */
const MAX_STEPS = 5_000_000

/** Match of a rule in a text. */
export interface Found {
  rule: CommandRule
  /** Empty when the rule took too long, which counts as found. */
  match: string
  isTooSlow: boolean
}

/**
 * Texts of which an expression that finds something in each denies everything: `.*`, `\S`, `^`, …
 */
const ANYTHING = ['a', 'Z', '7', '/', '-', '_', '"', '中', '~ x']

interface ReadyRule {
  rule: CommandRule
  expression: Expression
}

/** A text with the rules that may find something in it. */
interface Trial {
  text: string
  rules: readonly ReadyRule[]
}

interface Search {
  found: (Found | undefined)[]
  /** Which is being tried, for when it takes too long. */
  rule: CommandRule | undefined
}

/**
 * The command rules of a situation, ready to be tried: the first that finds something in a text
 * decides (docs/rules/gateway.md#command_filter). A rule whose expression can't be compiled, or is
 * empty, never finds anything.
 */
export class RuleSet {
  /** In the order in which they are tried. */
  readonly rules: readonly CommandRule[]
  /**
   * Whether what no other rule allows is denied: the last rule denies everything, so that those
   * before it are a list of what may be run.
   */
  readonly isAllowList: boolean
  readonly #ready: readonly ReadyRule[]
  /** Those of which nothing can be said before they are tried. */
  readonly #always: readonly ReadyRule[]
  /** Finds something in every text in which one of the others does. */
  readonly #literals: RegExp

  constructor(rules: readonly CommandRule[]) {
    this.#ready = rules.flatMap((rule) => {
      const expression = rule.pattern ? expressionOf(rule.pattern, rule.ignore_case) : undefined
      return expression ? [{ rule, expression }] : []
    })
    this.rules = this.#ready.map(({ rule }) => rule)
    this.#always = this.#ready.filter(({ expression }) => !expression.literals)
    const literals = new Set(this.#ready.flatMap(({ expression }) => expression.literals ?? []))
    this.#literals = literals.size ? new RegExp([...literals].map(escaped).join('|'), 'i') : /(?!)/
    const last = this.#ready.at(-1)
    this.isAllowList = last?.rule.action === DENY && findsAll(last)
  }

  /** The rule that denies what no other allows, in an allow-list. */
  get last(): CommandRule | undefined {
    return this.rules.at(-1)
  }

  get isEmpty(): boolean {
    return this.rules.length === 0
  }

  /** Whether some rule denies something, or has it confirmed. */
  get isRestrictive(): boolean {
    return this.rules.some(({ action }) => action !== ALLOW)
  }

  /**
   * Whether no rule finds anything in the text, for any person: known by its words alone, without
   * trying any rule.
   */
  isSilentOn(text: string): boolean {
    return !this.#always.length && !this.#literals.test(text)
  }

  /**
   * Matches for each text. When a rule takes too long, this text and those after it are answered
   * with that rule.
   */
  find(texts: readonly string[]): (Found | undefined)[] {
    if (this.isEmpty) return texts.map(() => undefined)
    return found(texts.map((text) => ({ text, rules: this.#mayFind(text) })))
  }

  /** Most rules are about a word that most texts do not have. */
  #mayFind(text: string): readonly ReadyRule[] {
    if (!this.#literals.test(text)) return this.#always
    const lower = text.toLowerCase()
    return this.#ready.filter(
      ({ expression: { literals } }) => !literals || literals.some((literal) => lower.includes(literal)),
    )
  }
}

const escaped = (literal: string) => literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

function findsAll(rule: ReadyRule): boolean {
  return found(ANYTHING.map((text) => ({ text, rules: [rule] }))).every((one) => one && !one.isTooSlow)
}

function found(trials: readonly Trial[]): (Found | undefined)[] {
  const search: Search = { found: [], rule: undefined }
  try {
    if (stepsOf(trials) <= MAX_STEPS) run(search, trials)
    else guarded(() => run(search, trials))
  } catch {
    // Even where no rule was begun: in doubt the text is answered with the first that it has.
    const rule = search.rule ?? trials.find(({ rules }) => rules.length)?.rules[0]?.rule
    const late = rule && { rule, match: '', isTooSlow: true }
    while (search.found.length < trials.length) search.found.push(late)
  }
  return search.found
}

function stepsOf(trials: readonly Trial[]): number {
  let steps = 0
  for (const { text, rules } of trials)
    for (const { expression } of rules) steps += stepsFor(expression.steps, text.length)
  return steps
}

function run(search: Search, trials: readonly Trial[]): void {
  search.found.length = 0
  search.rule = undefined
  for (const { text, rules } of trials) search.found.push(firstOf(rules, text, search))
}

function firstOf(rules: readonly ReadyRule[], text: string, search: Search): Found | undefined {
  for (const { rule, expression } of rules) {
    search.rule = rule
    const match = expression.regexp.exec(text)
    if (match) return { rule, match: match[0], isTooSlow: false }
  }
  return undefined
}
