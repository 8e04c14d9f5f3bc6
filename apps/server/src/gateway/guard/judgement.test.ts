import { expect, test } from 'vitest'
import type { CommandRule } from '../../domains/command-filters/index.ts'
import { judge } from './judgement.ts'
import { ALLOW, CONFIRM, RuleSet } from './rule-set.ts'
import { rule } from './rules-fixture.ts'

const judged = (line: string, ...rules: CommandRule[]) => {
  const { action, rule: by, match } = judge(new RuleSet(rules), line, true)
  return [action, by?.id, match]
}
const allow = (pattern: string) => rule(pattern, pattern, { action: ALLOW })
const deny = (pattern: string) => rule(pattern, pattern)
const confirm = (pattern: string) => rule(pattern, pattern, { action: CONFIRM })

test('the strictest ruling on the line and its commands counts', () => {
  const rules = [allow('^ls'), deny('^rm'), confirm('^mv')]
  expect(judged('ls', ...rules)).toEqual(['allow', '^ls', 'ls'])
  expect(judged('ls; rm x', ...rules)).toEqual(['deny', '^rm', 'rm'])
  expect(judged('ls; mv x y', ...rules)).toEqual(['confirm', '^mv', 'mv'])
  expect(judged('mv x y; rm x', ...rules)).toEqual(['deny', '^rm', 'rm'])
  expect(judged('id; pwd', ...rules)).toEqual(['allow', undefined, ''])
})

test('a rule that takes too long denies, also one that would allow, alone and at the end of a list', () => {
  const line = `${'a'.repeat(60_000)}!`
  const slow = allow('(a+)+$')
  expect(judge(new RuleSet([slow]), line, false)).toMatchObject({ action: 'deny', rule: { id: '(a+)+$' } })
  expect(judge(new RuleSet([slow, deny('.*')]), line, true)).toMatchObject({ action: 'deny', isTooSlow: true })
})

test('a rule that allows a command with its prefix also allows the command alone', () => {
  const rules = [allow('^sudo systemctl restart web$'), deny('systemctl')]
  expect(judged('sudo systemctl restart web', ...rules)[0]).toBe('allow')
  expect(judged('cd /; sudo systemctl restart web', ...rules)[0]).toBe('deny')
  expect(judged('sudo systemctl stop web', ...rules)[0]).toBe('deny')
  expect(judged('sudo sh -c "systemctl stop web"', allow('^sudo'), deny('^systemctl'))[0]).toBe('deny')
  expect(judged('find / -exec rm x ;', allow('^find'), deny('^rm'))[0]).toBe('deny')
})

test('a text that can not be resolved is judged as typed where only some things are denied', () => {
  expect(judged('sh script; $x', deny('^rm'))).toEqual(['allow', undefined, ''])
  expect(judged('echo "x\nrm x', deny('^rm'))).toEqual(['deny', '^rm', 'rm'])
})

test('a command denied by its name is denied in any folder; on an allow-list the folder counts', () => {
  expect(judged('/bin/rm x', deny('^rm'))).toEqual(['deny', '^rm', 'rm'])
  expect(judged('../bin/mv x y', confirm('^mv'))[0]).toBe('confirm')
  expect(judged('cat /bin/rm', deny('^rm'))[0]).toBe('allow')
  expect(judged('/opt/rm x', allow('^/opt/rm '), deny('^rm'))[0]).toBe('allow')
  expect(judged('/tmp/ls', allow('^ls( |$)'), deny('.*'))[0]).toBe('deny')
})

test('a command that may be run besides is denied, and allows nothing', () => {
  expect(judged('echo rm x > f; sh f', deny('^rm'))[0]).toBe('deny')
  expect(judged('$x; ls', allow('^ls'), deny('.*'))[0]).toBe('deny')
  expect(judged(`awk '{ system("rm x") }' f`, deny('^rm'), allow('^awk '), deny('.*'))[0]).toBe('deny')
  expect(judged(`awk '{ print "a" | "sort" }' f`, allow('^awk '), deny('.*'))[0]).toBe('allow')
})

test('a text too intricate to be read is denied where a rule denies something, and nowhere else', () => {
  const line = `${'eval '.repeat(24)}for""bid`
  for (const rules of [[deny('^forbid')], [confirm('^forbid')], [allow('^ls'), deny('^rm')]]) {
    const judgement = judge(new RuleSet(rules), line, true)
    expect([judgement.action, judgement.isTooMuch, judgement.rule]).toEqual(['deny', true, undefined])
  }
  expect(judged(line)[0]).toBe('allow')
  expect(judged(line, allow('^ls'))[0]).toBe('allow')
  expect(judge(new RuleSet([deny('^forbid')]), line, false).action).toBe('allow')
})

test('under an allow-list what another shell would run needs a rule as well', () => {
  const rules = [allow('^(echo|ls)( |$)'), deny('.*')]
  for (const line of ['ls #; rm x', "ls # '", '((rm))', "echo $'\\'; rm #'", 'ls &>f rm', "echo 'a\\' ' ; rm ; #'"])
    expect([line, judged(line, ...rules)[0]]).toEqual([line, 'deny'])
  const set = new RuleSet(rules)
  for (const line of ["ls # don't", 'ls # a; b'])
    expect([line, judge(set, line, true, false).action]).toEqual([line, 'allow'])
  for (const line of ['ls # a word', 'echo "it\'s"', "echo 'a b' \\; x", '[[ -f x ]] && ls', "echo $'a\\tb'"])
    expect([line, judged(line, ...rules)[0]]).toEqual([line, 'allow'])
})

test('under an allow-list every command needs a rule that allows it', () => {
  const rules = [deny('--force'), allow('^ls( -la)?$'), allow('^(cd|pwd)( |$)'), confirm('^reboot$'), deny('.*')]
  const actions = (lines: string[]) => lines.map((line) => [line, judged(line, ...rules)[0]])
  const all = (action: string, lines: string[]) => expect(actions(lines)).toEqual(lines.map((line) => [line, action]))
  all('allow', ['ls', 'ls -la', 'l\\s', 'cd /srv; ls', 'ls && pwd', '(pwd)', '# a word', '', 'cd "a b"'])
  all('deny', [
    'rm x',
    'ls; rm x',
    'ls -l',
    'ls > /etc/x',
    'x=1',
    'cd $HOME',
    'cd $(rm x)',
    'cd `id`',
    'cd "',
    'if cd',
    '!!',
  ])
  all('deny', [
    'cd --force',
    'sudo ls',
    `cd ${'a'.repeat(300_000)}`,
    'cd /; eval ls -l',
    'sh -c ls',
    '('.repeat(20_000),
  ])
  all('confirm', ['reboot', 'ls; reboot'])
})

test('a list is an allow-list when its last rule denies everything', () => {
  const isAllowList = (...rules: CommandRule[]) => new RuleSet(rules).isAllowList
  for (const pattern of ['.*', '.+', '^.*$', '.', '\\S', '[\\s\\S]*', '^'])
    expect(isAllowList(allow('ls'), deny(pattern)), pattern).toBe(true)
  for (const last of [deny('rm'), deny('[a-z]'), deny('\\w'), allow('.*'), confirm('.*'), deny('')])
    expect(isAllowList(allow('ls'), last), last.pattern).toBe(false)
  expect(isAllowList(deny('.*'), allow('ls'))).toBe(false)
  expect(isAllowList()).toBe(false)
})
