import type { CommandFilterRule } from '@sallyport/contract/resources/assets/command-filter-rule.ts'

/** Parts of expressions that match one text, and that text. */
const PLAIN: readonly [RegExp, string][] = [
  [/\\b|\^|\$/g, ''],
  [/\\s[+*]?/g, ' '],
  [/\\([-./])/g, '$1'],
]

/**
 * A command in which the rule matches; empty where that can't be found out without solving its
 * expression.
 */
export function exampleOf({
  type,
  content,
  pattern,
  ignore_case,
}: Pick<CommandFilterRule, 'type' | 'content' | 'pattern' | 'ignore_case'>): string {
  const first = content.split(/\r?\n/).find((line) => line.trim()) ?? ''
  const whole = type === 'command' ? first : PLAIN.reduce((text, [part, plain]) => text.replace(part, plain), first)
  const line = whole.trim()
  try {
    return new RegExp(pattern, ignore_case ? 'i' : '').test(line) ? line : ''
  } catch {
    return ''
  }
}
