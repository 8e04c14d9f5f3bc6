import { readFileSync } from 'node:fs'
import { type CommandRule, commandPattern } from '../../domains/command-filters/index.ts'
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
  /** Shells in which it does run what is forbidden, tried by `real-shells.test.ts`. */
  ran?: ('bash' | 'dash' | 'busybox' | 'yash')[]
  /** Language of the database whose statement it is; otherwise it is a shell's line. */
  database?: 'postgresql' | 'mysql' | 'redis' | 'sqlserver' | 'oracle'
  /** By these rules. */
  deny: Outcome
  /** By an allow-list instead. */
  allow_list: Outcome
  why?: string
}

/**
 * A technique that depends on keys, which a judgment of its line does not show: tried with these
 * shells (kinds/terminal/keyed-corpus.test.ts). `{COMMAND}` is replaced by the forbidden text,
 * `{UNSEEN}` by a word that the shell turns into it, `{ZEROED}` by the same with a zero byte
 * within; at `{PROMPT}` the text typed before is behind a prompt.
 */
export interface KeyedTechnique extends Technique {
  shells: ('bash' | 'zsh' | 'dash')[]
  keys: string
  /** Lines that are run before it, and behind it so that others find the shell as it was. */
  before?: string
  after?: string
}

/** The list that is tried instead of the rules. */
export const ALLOW_LIST = ['allow regex ^(ls|cat|cd|pwd)( |$)', 'deny regex .*']
/** That for statements. */
export const ALLOWED_STATEMENTS = ['allow+case regex ^(select|show|get|ttl)( |$)', 'deny regex .*']

/** Every technique, with what is expected of the guard. */
export const CORPUS = readFileSync(new URL('corpus.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((text) => {
    const { deny, allow_list, ...technique } = JSON.parse(text) as Technique | KeyedTechnique
    return { ...technique, expected: { deny, allow_list } }
  })

/** Those of keys. */
export const KEYED = CORPUS.filter((one): one is (typeof CORPUS)[number] & KeyedTechnique => 'keys' in one)

/**
 * The guard's decisions on a line, by the rules of a technique and by the allow-list. `readings`:
 * the ways that a database may read it besides (`ClientWire.readAs`).
 */
export function outcomesOf(
  { rules, line, database }: Pick<Technique, 'rules' | 'line' | 'database'>,
  readings: readonly string[] = [],
): Record<'deny' | 'allow_list', Outcome> {
  const texts = [line, ...readings]
  const outcome = (of: readonly string[]) => outcomeOf(of, texts, database === undefined)
  return { deny: outcome(rules), allow_list: outcome(database ? ALLOWED_STATEMENTS : ALLOW_LIST) }
}

function outcomeOf(rules: readonly string[], texts: readonly string[], isForShell: boolean): Outcome {
  const set = new RuleSet(rules.map(ruleOf))
  return texts.every((text) => judge(set, text, isForShell).action === 'allow') ? 'known' : 'caught'
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
