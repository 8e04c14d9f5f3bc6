import { afterEach, expect, test, vi } from 'vitest'
import { confirmation } from '../../guard/confirmation-fixture.ts'
import type { Decision, Guard, Unit, Verdict } from '../../guard/guard.ts'
import { collectedCommands } from '../../session/command-log-fixture.ts'
import { notice } from '../../session/notice.ts'
import type { Typist } from '../../session/typist.ts'
import { CommandParser } from './commands/command-parser.ts'
import { Echo } from './echo.ts'
import { PlainInput } from './plain-input.ts'
import { TerminalInput, type TerminalInputOptions } from './terminal-input.ts'

afterEach(() => {
  vi.useRealTimers()
})

const GUEST = { id: 'guest', display: 'guest' }
const deny: Decision = { action: 'deny', why: notice('denied', 'no') }
const allow: Decision = { action: 'allow' }

/** A guard that is asked, and answers when the test says so. */
function patientGuard() {
  const asked: {
    unit: Unit
    dropped: AbortSignal
    answer: (verdict: Verdict) => void
    fail: (error: Error) => void
  }[] = []
  const guard: Guard = {
    applies: true,
    judge: (unit, dropped) => new Promise((answer, fail) => asked.push({ unit, dropped, answer, fail })),
  }
  return { guard, asked }
}

function inputTo(guard: Guard, { isTerminal = true, program }: { isTerminal?: boolean; program?: string } = {}) {
  const events: string[] = []
  const parser = new CommandParser({ cols: 80, rows: 24 }, collectedCommands().begin)
  const echo = new Echo()
  const options: TerminalInputOptions = {
    guard,
    echo,
    edited: () => parser.edited(),
    send(bytes, by) {
      parser.input(bytes.toString(), by)
      events.push(`${by?.display ?? 'person'}: ${JSON.stringify(bytes.toString('latin1'))}`)
      return undefined
    },
    refuse({ why }) {
      parser.cleared()
      events.push(`refused: ${why.code}`)
    },
    async confirm(confirmation) {
      const { message, decision } = await confirmation.request()
      events.push(`told: ${message.code}`)
      return decision
    },
    unseen: (what) => void events.push(`unseen: ${what}`),
    onFault: (error) => void events.push(`fault: ${(error as Error).message}`),
  }
  const input = isTerminal
    ? new TerminalInput(options)
    : new PlainInput({ ...options, program, refuse: ({ why }) => void events.push(`refused: ${why.code}`) })
  const sent = () =>
    events
      .filter((event) => event.startsWith('person: '))
      .map((event) => JSON.parse(event.slice('person: '.length)))
      .join('')
  return {
    input,
    events,
    sent,
    type: (text: string, by?: Typist) => input.take(Buffer.from(text, 'latin1'), by),
    show(text: string) {
      parser.output(text)
      echo.shown()
    },
  }
}

/** Answers that are ready arrive. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('where no rule applies, input passes as it came: nothing is cut, nothing is asked', () => {
  const guard: Guard = {
    applies: false,
    judge: () => {
      throw new Error('asked')
    },
  }
  const { type, events } = inputTo(guard)
  type('echo 1\recho 2\r\x00\xff')
  expect(events).toEqual(['person: "echo 1\\recho 2\\r\\u0000ÿ"'])
})

test('text is shown as it is typed; the return waits for the answer, and so does all that follows', async () => {
  const { guard, asked } = patientGuard()
  const { type, sent, input } = inputTo(guard)
  type('l')
  type('s')
  expect(sent()).toBe('ls')
  type('\r')
  type('pw')
  type('d\r')
  expect(sent()).toBe('ls')
  expect(input.heldBytes).toBe(5)
  asked[0]?.answer(allow)
  await settled()
  expect(sent()).toBe('ls\rpwd')
  expect(asked.map(({ unit }) => unit.text)).toEqual(['ls', 'pwd'])
  asked[1]?.answer(allow)
  await settled()
  expect(sent()).toBe('ls\rpwd\r')
  expect(input.heldBytes).toBe(0)
})

test('a paste of a thousand lines arrives byte by byte as it was, whether the guard answers at once or late', async () => {
  for (const isTerminal of [true, false]) {
    // Any other key in a line of a terminal has the screen looked at.
    const keys = isTerminal ? '' : '\x1b[A\x00'
    const text = Array.from({ length: 1000 }, (_, n) => `line ${n} ${keys}\xe4\xbd\xa0${n % 2 ? '\r' : '\n'}`).join('')
    let n = 0
    const guard: Guard = { applies: true, judge: () => (n++ % 3 === 0 ? Promise.resolve(allow) : allow) }
    const { input, sent } = inputTo(guard, { isTerminal })
    const bytes = Buffer.from(text, 'latin1')
    for (let at = 0; at < bytes.length; at += 1237) input.take(bytes.subarray(at, at + 1237), undefined)
    await new Promise<void>((free) => input.end(free))
    expect(sent()).toBe(text)
  }
})

test('where a line editor reads without a terminal, what it would take for a key is not sent', () => {
  const guard: Guard = { applies: true, judge: () => allow }
  for (const [program, line] of [
    ['bash -i', 'm x\x01r'],
    ['bash --norc -i', 'ls\rrm x'],
    ['sudo zsh -fi', 'shutdow\t'],
    ['script -qc bash /dev/null', 'echo \x15rm x'],
    ['bash -i', 'r m\xc2\xa0'],
  ] as const) {
    const { type, events } = inputTo(guard, { isTerminal: false, program })
    type(`ls -l\n${line}\n`)
    expect([program, events]).toEqual([program, ['person: "ls -l\\n"', 'refused: unjudged']])
  }
  // One that comes on later is one as well.
  const { type, events } = inputTo(guard, { isTerminal: false, program: 'bash -s' })
  type('\techo 1\nexec bash -i\n\techo 2\n')
  expect(events.at(-1)).toBe('refused: unjudged')
  expect(events).toHaveLength(3)
})

test('comments are known to a shell without a terminal, and not where lines are typed', () => {
  const units: (boolean | undefined)[] = []
  const guard: Guard = {
    applies: true,
    judge({ isProgram }) {
      units.push(isProgram)
      return allow
    },
  }
  for (const program of ['bash -s', 'zsh -i']) inputTo(guard, { isTerminal: false, program }).type('ls # a\n')
  inputTo(guard).type('ls # a\r')
  expect(units).toEqual([true, false, undefined])
})

test('a denied line is refused, and the next one is judged by itself', () => {
  const { type, events } = inputTo({ applies: true, judge: ({ text }) => (text.startsWith('rm') ? deny : allow) })
  type('rm -rf /\rls\r')
  expect(events).toEqual(['person: "rm -rf /"', 'refused: denied', 'person: "ls"', 'person: "\\r"'])
})

test('letters that a shell takes for keys: what it shows instead is judged', async () => {
  const { type, events, show } = inputTo({ applies: true, judge: ({ text }) => (text.includes('rm') ? deny : allow) })
  show('$ ')
  type('r m x')
  show('r m x')
  // Back by three words, and away with the blank.
  type('\xc2\xa0\xdc\x80')
  show('\b\b\b\x1b[Prm x\x1b[K')
  type('\r')
  await expect.poll(() => events.at(-1)).toBe('refused: denied')
})

test('letters that a shell shows are letters, and wait for nothing', () => {
  const { type, sent, show } = inputTo({ applies: true, judge: () => allow })
  show('$ ')
  type('ls \xe4\xbd\xa0')
  show('ls 你')
  type('\r')
  return settled().then(() => expect(sent()).toBe('ls \xe4\xbd\xa0\r'))
})

test('a line that is typed before the denied one is gone from the screen is not judged by that', async () => {
  const { type, events, show } = inputTo({
    applies: true,
    judge: ({ text }) => (text.includes('rm') ? deny : allow),
  })
  show('$ ')
  type('rm x')
  show('rm x')
  type('\rls\r')
  show('\r\n$ ls')
  await expect.poll(() => events.at(-1)).toBe('person: "\\r"')
  expect(events).toEqual(['person: "rm x"', 'refused: denied', 'person: "ls"', 'person: "\\r"'])
})

test('without a terminal a denied line never reaches the program, and the end of input waits its turn', async () => {
  const { guard, asked } = patientGuard()
  const { type, input, events } = inputTo(guard, { isTerminal: false })
  type('one\ntw')
  type('o\nthree')
  input.end(() => void events.push('end of input'))
  asked[0]?.answer(allow)
  await settled()
  asked[1]?.answer(deny)
  await settled()
  asked[2]?.answer(allow)
  await settled()
  expect(events).toEqual(['person: "one\\n"', 'refused: denied', 'person: "three"', 'end of input'])
})

test('without a terminal a line that never ends is held no further than it can be judged, and its rest is no line', async () => {
  const { guard, asked } = patientGuard()
  const { type, input, sent } = inputTo(guard, { isTerminal: false })
  type('x'.repeat(100_000))
  expect(asked.map(({ unit }) => unit.isCut)).toEqual([true])
  asked[0]?.answer(allow)
  await settled()
  expect([sent().length, input.heldBytes]).toEqual([100_000, 0])
  type('rest\nnext\n')
  asked[1]?.answer(allow)
  await settled()
  expect(asked.slice(1).map(({ unit: { text, isCut } }) => [text, isCut])).toEqual([
    ['rest', true],
    ['next', false],
  ])
})

test("a person who waits for a reviewer sees that; the reviewer's answer counts", async () => {
  const { promise: decision, resolve: decide } = Promise.withResolvers<Decision>()
  const held = notice('held', 'wait')
  const { type, events } = inputTo({
    applies: true,
    judge: ({ text }) => (text === 'reboot' ? confirmation(held, decision) : allow),
  })
  type('reboot\rls\r')
  // No machine shows it: that is not waited for without end.
  await expect.poll(() => events).toEqual(['person: "reboot"', 'told: held'])
  decide(allow)
  await settled()
  expect(events.slice(2)).toEqual(['person: "\\r"', 'person: "ls"', 'person: "\\r"'])
})

test.each(['throws', 'rejects'])('a guard that %s denies, and the session goes on', async (how) => {
  let n = 0
  const { type, events } = inputTo({
    applies: true,
    judge: () => {
      if (n++) return allow
      if (how === 'throws') throw new Error('broken')
      return Promise.reject(new Error('broken'))
    },
  })
  type('a\rb\r')
  await settled()
  expect(events).toEqual(['person: "a"', 'fault: broken', 'refused: unjudged', 'person: "b"', 'person: "\\r"'])
})

test('an answer that comes after the end, or after the input was locked, sends nothing', async () => {
  const { guard, asked } = patientGuard()
  const { type, input, sent } = inputTo(guard)
  type('a\rb\r')
  input.drop()
  expect(asked[0]?.dropped.aborted).toBe(true)
  asked[0]?.answer(allow)
  await settled()
  expect(sent()).toBe('a')
  type('c\r')
  input.close()
  asked[1]?.answer(allow)
  await settled()
  expect(asked).toHaveLength(2)
  expect(sent()).toBe('ac')
  expect(input.heldBytes).toBe(0)
})

test('each line is judged for who typed it; a line that is too long to keep says so', () => {
  const units: Unit[] = []
  const { type } = inputTo({
    applies: true,
    judge(unit) {
      units.push(unit)
      return allow
    },
  })
  type('own\r')
  type('guest line\r', GUEST)
  type(`${'x'.repeat(70_000)}\r`)
  expect(units.map(({ text, isCut, by }) => [text.slice(0, 12), isCut, by])).toEqual([
    ['own', false, undefined],
    ['guest line', false, GUEST],
    ['xxxxxxxxxxxx', true, undefined],
  ])
})

test('an unseen answer to a question passes, but not where output was stopped before, until it has come on again', async () => {
  vi.useFakeTimers()
  const { type, show, events } = inputTo({ applies: true, judge: ({ text }) => (text.includes('rm') ? deny : allow) })
  const seen = () => events.splice(0).filter((event) => !event.startsWith('person: "rm'))
  const typed = async (text: string) => {
    type(text)
    await vi.advanceTimersByTimeAsync(10_000)
    return seen()
  }
  show('Password: ')
  expect(await typed('rm-1\r')).toEqual(['unseen: no_echo', 'person: "\\r"'])
  show('\r\nPassword: ')
  expect(await typed('\x13\r')).toEqual(['person: "\\u0013"', 'refused: unjudged'])
  expect(await typed('rm-2\r')).toEqual(['refused: denied'])
  type('\x11')
  expect(await typed('\x13\x03rm-3\r')).toContain('refused: denied')
  expect(await typed('\x11\x03rm-4\r')).toContain('unseen: no_echo')
  // Keys of that name may mean something else here: what comes much later was not held back.
  expect(await typed('\x13\x03rm-5\r')).toContain('refused: denied')
  show('\r\nPassword: ')
  expect(await typed('rm-6\r')).toContain('unseen: no_echo')
})

test.each([
  ['Ctrl-X Ctrl-E', '\x18\x05'],
  ['Ctrl-X e', '\x18e'],
  ['M-#', '\x1b#'],
])('%s, which runs what is not shown, is not sent but to full-screen programs', async (_, keys) => {
  const { type, show, events, sent } = inputTo({ applies: true, judge: () => allow })
  show('$ ')
  type(`ls${keys}`)
  await expect.poll(() => events).toContain('refused: unjudged')
  expect(sent()).toBe(`ls${keys[0]}`)
  // It begins on a line of its own.
  show('\r\n\x1b[?1049h')
  type(keys)
  await expect.poll(sent).toBe(`ls${keys[0]}${keys}`)
})

const noRemoving: Guard = { applies: true, judge: ({ text }) => (/^rm\b/.test(text) ? deny : allow) }

test('text typed behind the key that ends a full-screen program is a line of the shell', async () => {
  const { type, show, events } = inputTo(noRemoving)
  show('$ ')
  type('less note\r')
  show('less note\r\n\x1b[?1049h\x1b[24;1H:')
  type('qrm -rf /srv\r')
  show('\x1b[?1049l\r\n$ rm -rf /srv')
  await expect.poll(() => events).toContain('refused: denied')
})

test.each([
  ['chooses its place', '\x1b[?2004h\x1b[?1049h\x1b[5;5H$ ', 'rm -rf /srv', '\x1b[?2004h'],
  [
    'chooses it again behind a key',
    '\x1b[?2004h\x1b[?1049h\x1b[5;5H$ ',
    'rm -rf /srv',
    '\x1b[H\x1b[2J\x1b[5;5H$ rm -rf /srv',
  ],
  ['is a letter, with no line editor', '\x1b[?1049hx', 'rm -rf /srv', ''],
  ['is a letter, behind a place that was chosen above it', '\x1b[?1049h\x1b[9;9Hdrawn\r\nx', 'rm -rf /srv', ''],
])('a prompt on the second screen that %s hides no line from the guard', async (_, prompt, line, after) => {
  const { type, show, events } = inputTo(noRemoving)
  show('# ')
  show(prompt)
  type(line)
  show(line + after)
  type('\r')
  await expect.poll(() => events).toContain('refused: denied')
})

test('behind a prompt of a letter on the second screen lines are judged as they are typed, and run', async () => {
  const { type, show, events, sent } = inputTo(noRemoving)
  show('\x1b[?1049hx')
  for (const key of 'ls') {
    type(key)
    show(key)
  }
  type('\r')
  await expect.poll(sent).toBe('ls\r')
  show('\r\nx')
  type('rm -rf /srv')
  show('rm -rf /srv')
  type('\r')
  await expect.poll(() => events).toContain('refused: denied')
})

test('text typed in editors and pagers is text, whatever the rules deny', async () => {
  const { type, show, events, sent } = inputTo({ applies: true, judge: ({ text }) => (text ? deny : allow) })
  show('\x1b[?1049h\x1b[?2004h\x1b[2;1H~\r\n~\x1b[24;1H"note" 1L\x1b[1;1H')
  type('\x1b[>41;0c')
  type('i')
  show('\x1b[24;1H-- INSERT --\x1b[1;1H')
  type('rm -rf /srv')
  show('rm -rf /srv')
  type('\r')
  show('\r\n')
  type('rm -rf /home\r')
  show('\x1b[?2004l\x1b[?1049l\x1b[?1049hone\r\ntwo\r\n:')
  type('/')
  show('\r\x1b[K/')
  type('rm')
  show('rm')
  type('\r')
  show('\r\x1b[K:')
  type('12')
  show('\r\x1b[K:12')
  type('\r')
  await expect.poll(sent).toContain('/rm\r12\r')
  expect(events.filter((event) => event.startsWith('refused'))).toEqual([])
})

test('the line goes on behind a question of bash that was broken off', async () => {
  const { type, show, events } = inputTo(noRemoving)
  show('$ ')
  type('\x1b?')
  show('\r\nDisplay all 1860 possibilities? (y or n)\x07')
  type('\x07rm -rf /srv\r')
  show('rm -rf /srv')
  await expect.poll(() => events).toContain('refused: denied')
})

test('a prompt that comes behind the key that recalls a line is not that line', async () => {
  vi.useFakeTimers()
  const { type, show, events, sent } = inputTo(noRemoving)
  show('$ ')
  type('\x1b[A\r')
  await vi.advanceTimersByTimeAsync(5)
  show('\r\n$ ')
  await vi.advanceTimersByTimeAsync(200)
  expect(sent()).toBe('\x1b[A')
  show('rm -rf /srv')
  await vi.advanceTimersByTimeAsync(1000)
  expect(events).toContain('refused: denied')
})

test('with several keys that recall lines in one packet, the line of the first is not taken for that of the last', async () => {
  vi.useFakeTimers()
  const { type, show, events, sent } = inputTo(noRemoving)
  show('$ ')
  type('\x1b[A\x1b[A\r')
  await vi.advanceTimersByTimeAsync(5)
  show('ls')
  await vi.advanceTimersByTimeAsync(500)
  expect(sent()).toBe('\x1b[A\x1b[A')
  show('\b\brm -rf /srv')
  await vi.advanceTimersByTimeAsync(1500)
  expect(events).toContain('refused: denied')
})

test('a rule that comes while a line is typed holds what follows, and the line is judged whole', () => {
  const state = { applies: false }
  const units: [string, boolean][] = []
  const guard: Guard = {
    get applies() {
      return state.applies
    },
    judge({ text, isCut }) {
      units.push([text, isCut])
      return allow
    },
  }
  const { type, sent } = inputTo(guard)
  type('ec')
  state.applies = true
  type('ho\rls\r')
  expect(sent()).toBe('echo\rls\r')
  expect(units).toEqual([
    ['echo', false],
    ['ls', false],
  ])
})

test('a byte that may take the mark of a comment away is judged by what is behind it, and holds nothing elsewhere', async () => {
  const { guard, asked } = patientGuard()
  const { type, sent, events } = inputTo(guard)
  type('echo \xe6\xb3\xa3')
  expect(asked).toHaveLength(0)
  expect(sent()).toBe('echo \xe6\xb3\xa3')
  type('\x03#reboot \xb1\xa3')
  expect(asked.map(({ unit }) => unit.text.startsWith('reboot'))).toEqual([true])
  expect(sent()).not.toContain('\xb1\xa3')
  asked[0]?.answer(deny)
  await settled()
  expect(events.at(-1)).toBe('refused: denied')
})
