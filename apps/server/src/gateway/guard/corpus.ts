import { readFileSync } from 'node:fs'
import { type CommandRule, commandPattern } from '../../domains/assets/index.ts'
import { judge } from './judgement.ts'
import { ALLOW, DENY, RuleSet } from './rule-set.ts'

/** `caught`: it does not run. `known`: it does, and `why` says what there is to know about it. */
type Outcome = 'caught' | 'known'

/** A way in which people get around command rules: a line of corpus.jsonl. */
interface Technique {
  group: string
  technique: string
  line: string
  /** `deny`, then the type and the content of a rule; `deny+case` ignores case. */
  rules: string[]
  /** By these rules. */
  deny: Outcome
  /** By an allow-list instead. */
  allow_list: Outcome
  why?: string
}

/** The list that is tried instead of the rules. */
export const ALLOW_LIST = ['allow regex ^(ls|cat|cd|pwd)( |$)', 'deny regex .*']

/** Every technique, with what was expected of the guard and what it does. */
export const CORPUS = readFileSync(new URL('corpus.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((text) => {
    const { deny, allow_list, ...technique } = JSON.parse(text) as Technique
    const outcome = {
      deny: outcomeOf(technique.rules, technique.line),
      allow_list: outcomeOf(ALLOW_LIST, technique.line),
    }
    return { ...technique, expected: { deny, allow_list }, outcome }
  })

function outcomeOf(rules: readonly string[], line: string): Outcome {
  return judge(new RuleSet(rules.map(ruleOf)), line, true).action === 'allow' ? 'known' : 'caught'
}

function ruleOf(words: string): CommandRule {
  const [action = '', type = '', ...rest] = words.split(' ')
  const content = rest.join(' ')
  return {
    id: words,
    filter: 'corpus',
    filter_name: 'corpus',
    content,
    pattern: commandPattern(type, content),
    ignore_case: action.endsWith('+case'),
    action: action.startsWith('deny') ? DENY : ALLOW,
    priority: 50,
  }
}
