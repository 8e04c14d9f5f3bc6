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
  readonly #expressions: readonly RegExp[]

  constructor(rules: readonly CommandRule[]) {
    const compiled = rules.map((rule) => ({ rule, expression: expressionOf(rule) }))
    const usable = compiled.filter((one): one is { rule: CommandRule; expression: RegExp } => !!one.expression)
    this.rules = usable.map(({ rule }) => rule)
    this.#expressions = usable.map(({ expression }) => expression)
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
    const search: Search = { expressions: this.#expressions, texts, rule: 0, found: [] }
    sandbox.search = search
    let slow: CommandRule | undefined
    try {
      searching.runInContext(sandbox, { timeout: MATCHING_MS })
    } catch {
      slow = this.rules[search.rule]
    }
    return texts.map((_, at) => {
      const found = search.found[at]
      const rule = found && this.rules[found.rule]
      if (rule) return { rule, match: found.match, isTooSlow: false }
      return slow && at >= search.found.length ? { rule: slow, match: '', isTooSlow: true } : undefined
    })
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
