import { expect, test } from 'vitest'
import type { CommandRule } from '../../domains/assets/index.ts'
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

test('the whole text is judged, however much stands before', () => {
  expect(judged(`echo ${'a'.repeat(60_000)}; rm -rf /srv`, rule('rm', 'rm -rf'))).toEqual(['deny', 'rm', 'rm -rf'])
})

test('a rule that is empty or malformed finds nothing, and the others still count', () => {
  expect(judged('rm', rule('none', ''), rule('broken', '('), rule('rm', 'rm'))).toEqual(['deny', 'rm', 'rm'])
})

test('an expression that takes too long denies in its name, within its time', () => {
  const rules = new RuleSet([rule('fine', 'mkfs'), rule('slow', '(a+)+$'), rule('after', 'x')])
  const begun = performance.now()
  const judgement = judge(rules, `${'a'.repeat(60_000)}!`, false)
  expect(performance.now() - begun).toBeLessThan(1000)
  expect(judgement).toMatchObject({ action: 'deny', rule: { id: 'slow' }, isTooSlow: true })
  // What is found before it still decides, and it is tried again with the next text.
  expect(judge(rules, 'mkfs', false)).toMatchObject({ action: 'deny', rule: { id: 'fine' } })
  expect(judge(rules, 'ab', false)).toMatchObject({ action: 'allow' })
})
