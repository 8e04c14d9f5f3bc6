import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TelnetLogin } from './telnet-login.ts'

const loginOf = (success = '') => new TelnetLogin({ username: 'ops', password: 'secret', success })

/** The input, or its outcome, after each output of the machine. */
function steps(output: readonly string[], success?: string) {
  const login = loginOf(success)
  return output.map((text) => {
    login.hear(text)
    const step = login.next()
    return typeof step === 'object' ? step.type : step
  })
}

interface Device {
  device: string
  output: string[]
  /** The steps after each output; `person`: what is not sure is for them to answer. */
  steps: ('name' | 'password' | 'return' | 'in' | 'refused' | 'person' | null)[]
}
const DEVICES = readFileSync(new URL('telnet-devices.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Device)

test.each(DEVICES.map((one) => [one.device, one] as const))(
  'the greeting of %s is answered, or left to the person',
  (_, one) => {
    const login = loginOf()
    const done = one.output.map((text) => {
      login.hear(text)
      const step = login.next()
      if (typeof step === 'object') return { 'ops\r': 'name', 'secret\r': 'password', '\r': 'return' }[step.type]
      return step ?? (login.isUnsure ? 'person' : null)
    })
    expect(done).toEqual(one.steps)
  },
)

test.each([
  [
    'a Linux machine',
    ['Debian GNU/Linux 12\r\nbox login: ', 'Password: ', '\r\nLast login: Sun Nov 22 on pts/0\r\nops@box:~$ '],
  ],
  ['a switch', ['\r\nUser Access Verification\r\n\r\nUsername: ', 'ops\r\nPassword: ', '\r\nsw-1#']],
  [
    'a Huawei router',
    ['Warning: only for staff.\r\nLogin authentication\r\n\r\nUsername:', 'Password:', '\r\n<HUAWEI>'],
  ],
  ['an H3C router', ['login: ', 'Password: ', '\r\n[H3C]']],
  ['a machine that speaks Chinese', ['用户名：', '请输入密码：', '\r\n欢迎\r\n[root@主机 ~]# ']],
  ['colors in the prompt', ['login: ', '\x1b[1mPassword: \x1b[0m', '\x1b[32mops@box\x1b[0m:~$ ']],
])('%s lets in', (_name, output) => {
  expect(steps(output)).toEqual(['ops\r', 'secret\r', 'in'])
})

test.each([
  ['says so', 'Login incorrect\r\n'],
  ['asks again', '\r\nbox login: '],
  ['asks for the password again', 'Password: '],
  ['says so in Chinese', '密码错误，请重试\r\n'],
  ['says so as a switch does', '% Authentication failed\r\n'],
])('a machine that refuses and %s is not asked again', (_how, answer) => {
  expect(steps(['login: ', 'Password: ', answer])).toEqual(['ops\r', 'secret\r', 'refused'])
})

test('a machine that asks for a password alone gets it; an account without one is let in by its prompt', () => {
  expect(steps(['Password: ', '\r\nap>'])).toEqual(['secret\r', 'in'])
  expect(steps(['login: ', '\r\n$ '])).toEqual(['ops\r', 'in'])
})

test('a banner is no prompt, and a last login is no question', () => {
  expect(
    steps(['#################', '\r\n# property #\r\nlogin: ', 'Password: ', '\r\nLast login: ', 'today\r\n']),
  ).toEqual([undefined, 'ops\r', 'secret\r', undefined, 'in'])
})

test('[A3.32] the administrator’s own expression says when somebody is in, in place of the built-in ones', () => {
  expect(steps(['login: ', 'Password: ', 'Menu $ ', 'READY.'], 'READY\\.$')).toEqual([
    'ops\r',
    'secret\r',
    undefined,
    'in',
  ])
  expect(steps(['login: ', 'Password: ', 'READY.'])).toEqual(['ops\r', 'secret\r', undefined])
})

test('[A3.32] an expression that never comes to an end, or is none, is passed over', () => {
  expect(steps(['login: ', 'Password: ', `${'a'.repeat(600)}!$ `], '(a+)+$')).toEqual(['ops\r', 'secret\r', 'in'])
  expect(steps(['login: ', 'Password: ', '$ '], '(')).toEqual(['ops\r', 'secret\r', 'in'])
})
