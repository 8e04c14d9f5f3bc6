import { expect, test } from 'vitest'
import { processorMs } from '../../../test/processor-ms.ts'
import type { CommandRule } from '../../domains/command-filters/index.ts'
import { judge } from './judgement.ts'
import { ALLOW, CONFIRM, RuleSet } from './rule-set.ts'
import { rule } from './rules-fixture.ts'

const judged = (text: string, ...rules: CommandRule[]) => {
  const { action, rule: by, match } = judge(new RuleSet(rules), text, false)
  return [action, by?.id, match]
}

test('the first rule that finds something decides; none: allowed', () => {
  const rules = [
    rule('safe', '^rm -i', { action: ALLOW }),
    rule('rm', '\\brm\\b'),
    rule('ask', 'mv', { action: CONFIRM }),
  ]
  expect(judged('rm -i x', ...rules)).toEqual(['allow', 'safe', 'rm -i'])
  expect(judged('sudo rm -r x', ...rules)).toEqual(['deny', 'rm', 'rm'])
  expect(judged('mv rm', ...rules)).toEqual(['deny', 'rm', 'rm'])
  expect(judged('mv a b', ...rules)).toEqual(['confirm', 'ask', 'mv'])
  expect(judged('ls', ...rules)).toEqual(['allow', undefined, ''])
  expect(judged('ls')).toEqual(['allow', undefined, ''])
})

test('case counts unless the rule ignores it', () => {
  expect(judged('RM -rf', rule('rm', 'rm'))).toEqual(['allow', undefined, ''])
  expect(judged('RM -rf', rule('rm', 'rm', { ignore_case: true }))).toEqual(['deny', 'rm', 'RM'])
})

test('the whole text is judged, however long it is', () => {
  expect(judged(`echo ${'a'.repeat(60_000)}; rm -rf /srv`, rule('rm', 'rm -rf'))).toEqual(['deny', 'rm', 'rm -rf'])
})

test('a rule that is empty or malformed finds nothing, and the others still count', () => {
  expect(judged('rm', rule('none', ''), rule('broken', '('), rule('rm', 'rm'))).toEqual(['deny', 'rm', 'rm'])
})

test('a rule that is too large to be run denies nothing but what could be meant by it, and the others still count', () => {
  const rules = [rule('large', `unlikely${'x'.repeat(60_000)}`, { ignore_case: true }), rule('rm', 'rm')]
  expect(judged('ls', ...rules)).toEqual(['allow', undefined, ''])
  expect(judged('rm -rf', ...rules)).toEqual(['deny', 'rm', 'rm'])
})

test('an expression that takes too long denies in its name, within its time', () => {
  const rules = new RuleSet([rule('fine', 'mkfs'), rule('slow', '(a+)+$'), rule('after', 'x')])
  let judgement: ReturnType<typeof judge> | undefined
  expect(processorMs(() => (judgement = judge(rules, `${'a'.repeat(60_000)}!`, false)))).toBeLessThan(5000)
  expect(judgement).toMatchObject({ action: 'deny', rule: { id: 'slow' }, isTooSlow: true })
  // Earlier finds still decide, and it is tried again with the next text.
  expect(judge(rules, 'mkfs', false)).toMatchObject({ action: 'deny', rule: { id: 'fine' } })
  expect(judge(rules, 'ab', false)).toMatchObject({ action: 'allow' })
})

test('the first of many rules still decides, wherever their words are', () => {
  const rules = [...Array.from({ length: 200 }, (_, at) => rule(`${at}`, `\\bprogram${at}\\b`)), rule('any', '^x')]
  expect(judged('ls; program150 program149', ...rules)).toEqual(['deny', '149', 'program149'])
  expect(judged('x program7', ...rules)).toEqual(['deny', '7', 'program7'])
  expect(judged('x', ...rules)).toEqual(['deny', 'any', 'x'])
  expect(judged('PROGRAM7 program', ...rules)).toEqual(['allow', undefined, ''])
  expect(judged('a $.* b', rule('signs', '\\$\\.\\*'))).toEqual(['deny', 'signs', '$.*'])
})

const PIECES = [
  'a',
  'B',
  'K',
  'ſ',
  'ı',
  'é',
  '中',
  '.',
  '\\w',
  '\\s',
  '\\b',
  '^',
  '$',
  '[ab]',
  '[^a]',
  '\\x41',
  '(?=a)',
  '(?!b)',
]
const REPEATS = ['', '', '', '?', '*', '+', '{2}', '{0,2}', '+?']

test('facts that are read off an expression do not change what it finds', () => {
  // The same numbers in every run.
  let seed = 1
  const below = (end: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * end)
  }
  const anyOf = (all: readonly string[]) => all[below(all.length)] as string
  const sequence = (depth: number): string =>
    Array.from({ length: 1 + below(3) }, () => {
      const piece = depth && !below(3) ? `(${sequence(depth - 1)}|${sequence(depth - 1)})` : anyOf(PIECES)
      return piece + (/^(\\b|\^|\$|\(\?)/.test(piece) ? '' : anyOf(REPEATS))
    }).join('')
  for (let round = 0; round < 3000; round++) {
    const pattern = sequence(2)
    const text = Array.from({ length: below(9) }, () =>
      anyOf(['a', 'A', 'b', 'k', '\u212a', 's', 'ſ', 'ı', 'I', 'é', ' ', '中']),
    ).join('')
    for (const ignore_case of [false, true]) {
      const [found] = new RuleSet([rule('never', 'zzz'), rule('one', pattern, { ignore_case })]).find([text])
      expect(found?.match, `${pattern} on ${text}`).toBe(new RegExp(pattern, ignore_case ? 'i' : '').exec(text)?.[0])
    }
  }
})
