import { createContext, Script } from 'node:vm'
import type { CommandRule } from '../../domains/assets/index.ts'

/** All rules over one unit together: a slow expression must not hold up the sessions of everybody. */
const MATCHING_MS = 50
/** contract/assets.yaml command_filter_rule.action */
export const DENY = 0
export const CONFIRM = 2
export const ALLOW = 9

/** What a rule found in a text. */
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

interface Search {
  expressions: readonly RegExp[]
  texts: readonly string[]
  /** Which is being tried, for when it takes too long. */
  rule: number
  found: ({ rule: number; match: string } | undefined)[]
}

const sandbox = createContext(Object.create(null) as { search: Search })
/**
 * Each text is tried against all rules in one guarded call: starting the guard costs a hundred times
 * what an expression does.
 */
const searching = new Script(`{
  const { expressions, texts, found } = search
  for (const text of texts) {
    let match = null
    let rule = 0
    for (; rule < expressions.length && !match; rule++) {
      search.rule = rule
      match = expressions[rule].exec(text)
    }
    found.push(match ? { rule: rule - 1, match: match[0] } : undefined)
  }
}`)

/**
 * The command rules of a situation, ready to be tried: the first that finds something in a text
 * decides (contract/gateway.yaml command_filter). A rule whose expression can't be compiled, or is
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
  readonly #expressions: readonly RegExp[]

  constructor(rules: readonly CommandRule[]) {
    const compiled = rules.map((rule) => ({ rule, expression: expressionOf(rule) }))
    const usable = compiled.filter((one): one is { rule: CommandRule; expression: RegExp } => !!one.expression)
    this.rules = usable.map(({ rule }) => rule)
    this.#expressions = usable.map(({ expression }) => expression)
    const last = usable.at(-1)
    this.isAllowList = last?.rule.action === DENY && this.#findsAll(last.expression)
  }

  #findsAll(expression: RegExp): boolean {
    const { found } = this.#searched([expression], ANYTHING)
    return found.length === ANYTHING.length && found.every(Boolean)
  }

  /** The rule that denies what no other allows, in an allow-list. */
  get last(): CommandRule | undefined {
    return this.rules.at(-1)
  }

  get isEmpty(): boolean {
    return this.rules.length === 0
  }

  /**
   * What decides about each text. When a rule takes too long, this text and those after it are
   * answered with that rule.
   */
  find(texts: readonly string[]): (Found | undefined)[] {
    if (this.isEmpty) return texts.map(() => undefined)
    const { found: all, slow } = this.#searched(this.#expressions, texts)
    return texts.map((_, at) => {
      const found = all[at]
      const rule = found ? this.rules[found.rule] : undefined
      if (found && rule) return { rule, match: found.match, isTooSlow: false }
      const late = slow === undefined || at < all.length ? undefined : this.rules[slow]
      return late && { rule: late, match: '', isTooSlow: true }
    })
  }

  /** What was found in time, and which expression took too long if not all texts were tried. */
  #searched(expressions: readonly RegExp[], texts: readonly string[]): { found: Search['found']; slow?: number } {
    const search: Search = { expressions, texts, rule: 0, found: [] }
    sandbox.search = search
    try {
      searching.runInContext(sandbox, { timeout: MATCHING_MS })
      return { found: search.found }
    } catch {
      return { found: search.found, slow: search.rule }
    }
  }
}

function expressionOf({ pattern, ignore_case }: CommandRule): RegExp | undefined {
  if (!pattern) return undefined
  try {
    return new RegExp(pattern, ignore_case ? 'i' : '')
  } catch {
    return undefined
  }
}
