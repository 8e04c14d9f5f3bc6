import { expect, onTestFinished, test, vi } from 'vitest'
import type { CommandRule } from '../../domains/command-filters/index.ts'
import { judgeInTime, OTHER_RULE, unitsOf } from './ask-guard.ts'
import type { Confirmation, Decision, Guard, Verdict } from './guard.ts'
import { guarded } from './guarded.ts'
import { judgedTexts } from './judged-texts.ts'
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

test('the strictest verdict on several possible texts counts, however long each takes', async () => {
  const saying = (place: number) => ({ action: 'confirm', place }) as unknown as Verdict
  const verdicts: Record<string, Verdict | Promise<Verdict>> = {
    allowed: { action: 'allow' },
    denied: { action: 'deny', why: 'first' } as unknown as Verdict,
    alsoDenied: { action: 'deny', why: 'second' } as unknown as Verdict,
    deniedLater: Promise.resolve({ action: 'deny', why: 'later' } as unknown as Verdict),
    third: saying(3),
    first: saying(1),
    alsoFirst: { ...saying(1) },
  }
  const strictest = (...texts: string[]) => judgedTexts(texts, (text) => verdicts[text] as Verdict | Promise<Verdict>)
  expect(strictest('allowed', 'denied', 'alsoDenied', 'third')).toBe(verdicts.denied)
  expect(await strictest('allowed', 'deniedLater')).toMatchObject({ why: 'later' })
  expect(strictest('third', 'first')).toBe(verdicts.first)
  expect(strictest('first', 'third')).toBe(verdicts.first)
  expect(strictest('first', 'alsoFirst')).toBe(verdicts.first)
  expect(strictest('first', 'allowed')).toBe(verdicts.first)
})

test('an approved text is judged once more by the rules of then, unless it was denied or nobody waits', async () => {
  const asksFor = (rule: string, decision: Decision) =>
    ({
      action: 'confirm',
      grounds: { rule },
      request: async () => ({ decision: Promise.resolve(decision) }),
    }) as unknown as Verdict
  /** What became of a decision, where the guard says `then` by that time; and how often it was asked. */
  const after = async (decision: Decision, then: Verdict, isDropped = false) => {
    let asked = 0
    const guard = { applies: true, judge: () => (asked++ ? then : asksFor('first', decision)) } as unknown as Guard
    const dropped = new AbortController()
    const first = await judgeInTime(guard, unitsOf('x', [], false), dropped.signal)
    if (isDropped) dropped.abort()
    const { decision: last } = await (first as Confirmation).request()
    return [await last, asked]
  }
  const approval = { action: 'allow', grounds: { rule: 'first', ticket: 't' } } as unknown as Decision
  const denial = { action: 'deny', grounds: { rule: 'first' } } as unknown as Decision
  const forbidden = { action: 'deny', grounds: { rule: 'newer' } } as unknown as Verdict
  expect(await after(approval, { action: 'allow' })).toEqual([approval, 2])
  expect(await after(approval, asksFor('first', approval))).toEqual([approval, 2])
  expect(await after(approval, asksFor('newer', approval))).toEqual([
    { action: 'deny', why: OTHER_RULE, grounds: { rule: 'first', ticket: 't' } },
    2,
  ])
  expect(await after(approval, forbidden)).toEqual([{ action: 'deny', grounds: { rule: 'newer', ticket: 't' } }, 2])
  expect(await after(denial, forbidden)).toEqual([denial, 1])
  expect(await after(approval, forbidden, true)).toEqual([approval, 1])
})

test('a statement that a server may read in more ways than are judged counts as cut', () => {
  const ways = (count: number) => Array.from({ length: count }, (_, n) => `way ${n}`)
  expect(unitsOf('x', ['y'], false)).toMatchObject({ texts: ['x', 'y'], isCut: false })
  expect(unitsOf('x', ['y'], true).isCut).toBe(true)
  expect(unitsOf('x', undefined, false)).toMatchObject({ texts: ['x'], isCut: true })
  expect(unitsOf('x', ways(255), false).isCut).toBe(false)
  expect(unitsOf('x', ways(256), false)).toMatchObject({ isCut: true, texts: { length: 256 } })
})

test('work without an end is tried once where it was really done, four times where the process was paused; a failure is reported at once', () => {
  const used = vi.spyOn(process, 'threadCpuUsage')
  onTestFinished(() => used.mockRestore())
  // Asked before and after each try.
  const triesOf = (work: () => void, timeout: number, microseconds: number) => {
    used.mockReset().mockReturnValue({ user: microseconds, system: 0 })
    expect(() => guarded(work, timeout)).toThrow()
    return used.mock.calls.length / 2
  }
  const forever = () => {
    for (;;);
  }
  expect(triesOf(forever, 4, 4000)).toBe(1)
  expect(triesOf(forever, 4, 2000)).toBe(1)
  expect(triesOf(forever, 4, 1999)).toBe(4)
  const failing = () => {
    throw new Error('of its own')
  }
  expect([triesOf(failing, 60_000, 0), triesOf(failing, 60_000, 60_000_000)]).toEqual([1, 1])
})
