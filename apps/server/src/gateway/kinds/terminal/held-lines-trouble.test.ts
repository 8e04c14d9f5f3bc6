import { afterAll, beforeAll, expect, test } from 'vitest'
import { notice } from '../../session/notice.ts'
import {
  ALL,
  DENIED,
  EDITORS,
  everywhere,
  type HeldLines,
  openHeldLines,
  promptBehind as then,
  until,
} from './held-lines-fixture.ts'

let held: HeldLines
beforeAll(async () => {
  held = await openHeldLines()
})
afterAll(() => held?.close())

const PROMPT = /here\$ /

const events = async (session: string) =>
  (await held.fixture.server.admin.get(`/api/v1/terminal/session-events/?session=${session}`)).body.map(
    ({ event }: { event: string }) => event,
  )

test.concurrent.each(everywhere(ALL))(
  '%s through %s: a window that is made narrower, then wider, in the middle of a line changes nothing',
  async (name, protocol) => {
    const shell = await held.shell(name, { protocol })
    const { live, type, giveUp } = shell
    const long = 'x'.repeat(60)
    for (const cols of [40, 120]) {
      await type(`echo ${long}`, /x{20}/)
      live.resize({ cols, rows: 24 })
      // The machine has heard of it once this is seen.
      await type(' forbi', /bi/)
      await type('dden-$((40 + 2))\r', DENIED)
      // A shell that redraws its line leaves pieces of it on the screen, which are judged besides.
      expect(shell.texts()).toContain(`echo ${long} forbidden-$((40 + 2))`)
      await giveUp()
      await type(`echo ok-$((1 + ${cols}))\r`, then(`ok-${cols + 1}`))
    }
  },
)

test.concurrent.each(everywhere(EDITORS))(
  '%s through %s: a recalled line that wraps in a narrowed window is judged as it is',
  async (name, protocol) => {
    const shell = await held.shell(name, { protocol })
    const { live, type } = shell
    await type(`echo ${'y'.repeat(50)}\r`, then('y{50}'))
    live.resize({ cols: 30, rows: 24 })
    shell.judged.splice(0)
    await type('\x1b[A', 'y')
    // The prompt alone may be that of a line that is redrawn.
    await type('\r', then('y{50}'))
    expect(shell.texts()).toContain(`echo ${'y'.repeat(50)}`)
  },
)

test.concurrent.each(everywhere(ALL))(
  '%s through %s: a machine that shows late what is typed, recalled or denied is waited for',
  async (name, protocol) => {
    const shell = await held.shell(name, { protocol, delay: 250 })
    const { type, giveUp } = shell
    await type('echo slow-$((1 + 1))\r', then('slow-2'))
    await type('echo forbidden-$((40 + 2))\r', DENIED)
    await giveUp()
    if (name !== 'dash') {
      shell.judged.splice(0)
      await type('\x1b[A\r', then('slow-2'))
      expect(shell.texts()).toContain('echo slow-$((1 + 1))')
      await type('cho forbidden-$((41 + 2))\x01e\r', DENIED)
      await giveUp()
    }
    await type('echo behind-$((2 + 1))\r', then('behind-3'))
  },
)

test.concurrent.each(everywhere(ALL))(
  '%s through %s: a password passes as data, and the history of the session says that it was not seen',
  async (name, protocol) => {
    const shell = await held.shell(name, { protocol })
    const { live, type } = shell
    // The question is not what the line itself says while it is echoed.
    const ask = `sh -c 'stty -echo; printf "Sec%s: " ret; read x; stty echo; echo "got-\${#x}"'`
    await type(`${ask}\r`, /Secret: $/)
    const seen = await type(`forbidden it's\r`, then('got-14'))
    expect(seen).not.toContain('forbidden')
    await until(async () => expect(await events(live.id)).toContain('unseen_no_echo'))
    // Nothing of it is taken for the beginning of what follows.
    await type('\r', PROMPT)
    shell.judged.splice(0)
    await type('echo next-$((1 + 1))\r', /next-2/)
    expect(shell.texts()).toEqual(['echo next-$((1 + 1))'])
  },
)

test.concurrent.each(everywhere(ALL))(
  '%s through %s: what a full-screen program reads passes, and the history of the session says that it was not seen; the shell behind it is judged',
  async (name, protocol) => {
    const { live, type } = await held.shell(name, { protocol })
    const program = `printf '\\033[?1049h\\033[2;2Hdr%s' awn; read x; printf '\\033[?1049l'; echo got-\${#x}`
    await type(`${program}\r`, /drawn$/)
    const seen = await type('forbidden\r', then('got-9'))
    expect(seen).not.toContain(DENIED)
    await until(async () => expect(await events(live.id)).toContain('unseen_full_screen'))
    await type('echo forbidden-$((40 + 2))\r', DENIED)
  },
)

test.concurrent.each(everywhere(ALL))(
  '%s through %s: with the echo turned off, what is denied at the shell itself is not run',
  async (name, protocol) => {
    const { type } = await held.shell(name, { protocol })
    await type('stty -echo\r', PROMPT)
    const seen = await type('echo forbidden-$((40 + 2))\r', DENIED)
    expect(seen).not.toContain('forbidden-42')
    await type('stty echo\r', PROMPT)
    await type('echo back-$((1 + 1))\r', /back-2/)
  },
)

test.concurrent.each(everywhere(EDITORS))(
  '%s through %s: a prompt that looks like a question hides no line from the guard',
  async (name, protocol) => {
    const { type } = await held.shell(name, { protocol })
    // The prompt is not what the line itself says while it is echoed.
    const prompt = name === 'zsh' ? 'Secret: [\\s\\S]*\\?2004h' : 'Secret: $'
    await type('stty -echo; PS1="Sec""ret: "\r', new RegExp(prompt))
    // A shell that notices late that the line was given up loses the keys that came meanwhile.
    await type('echo forbidden-$((40 + 2))\r', new RegExp(`${DENIED}[\\s\\S]*${prompt}`))
    const seen = await type('echo next-$((1 + 1))\r', /next-2/)
    expect(seen).not.toContain('forbidden-42')
  },
)

test.concurrent.each(everywhere(EDITORS))(
  '%s through %s: where the shell stops reading in the middle of a line, what it showed before is not taken for that line',
  async (name, protocol) => {
    const shell = await held.shell(name, { protocol })
    const { type, giveUp } = shell
    shell.applies = false
    await type('echo forbidden-$((40 + 2))\r', then('forbidden-42'))
    shell.applies = true
    const shown = await type('echo shell-$$\r', then('shell-\\d+'))
    const pid = Number(/shell-(\d+)/.exec(shown)?.[1])
    await type('\x1b[A', 'echo shell-')
    process.kill(pid, 'SIGSTOP')
    const seen = [await type('\x1b[A\r', 'could not be read off the screen')]
    process.kill(pid, 'SIGCONT')
    seen.push(await giveUp())
    expect(seen.join('')).not.toContain('forbidden-42')
  },
)

/** Keys that do nothing where they are pressed, so that shells show nothing of them. */
const IDLE: [way: string, keys: string[], ran: RegExp][] = [
  ['Ctrl-K at the end', ['echo k$((1 + 1))', '\x0b', '\r'], then('k2')],
  ['End and Right at the end', ['echo e$((1 + 1))', '\x1b[F', '\x1b[C', '\r'], then('e2')],
  ['Ctrl-U, Ctrl-W and Home in an empty line', ['\x15', '\x17', '\x1b[H', 'echo u$((1 + 1))\r'], then('u2')],
  ['Left at the beginning, recalled', ['\x1b[A', '\x01', '\x1b[D', '\r'], then('u2')],
  ['Ctrl-K at the end, recalled', ['\x1b[A', '\x0b', '\r'], then('u2')],
]

test.concurrent.each(everywhere(EDITORS))(
  '%s through %s: keys that do nothing where they are pressed cost no line',
  async (name, protocol) => {
    const { live, type } = await held.shell(name, { protocol })
    // Silent where others ring.
    await type(name === 'bash' ? "bind 'set bell-style none'\r" : 'setopt nobeep\r', PROMPT)
    for (const [way, keys, ran] of IDLE) {
      for (const key of keys.slice(0, -1)) live.input(Buffer.from(key))
      const seen = await type(keys.at(-1) ?? '', ran)
      expect([way, seen]).toEqual([way, expect.not.stringContaining('could not be read')])
    }
  },
)

test.concurrent.each(everywhere(EDITORS))(
  '%s through %s: keys that took something away are judged by what is left',
  async (name, protocol) => {
    const { live, type, giveUp } = await held.shell(name, { protocol })
    await type('echo no; echo forbidden-$((40 + 2))', /2\)\)/)
    for (const key of ['\x01', '\x1bd', '\x1bd']) live.input(Buffer.from(key))
    const seen = await type('\r', DENIED)
    expect(seen).not.toContain('forbidden-42')
    await giveUp()
    await type('echo behind-$((1 + 1))\r', /behind-2/)
  },
)

test.concurrent.each(everywhere(ALL))(
  '%s through %s: what is typed behind Ctrl-C is a line like any other',
  async (name, protocol) => {
    const { live, type, giveUp } = await held.shell(name, { protocol })
    live.input(Buffer.from('q'))
    await giveUp()
    await type('echo fine-$((1 + 1))\r', then('fine-2'))
    const program = `sh -c "trap 'exit 0' INT; echo asleep-$((1 + 1)); while :; do sleep 1; done"`
    await type(`PS1='other here$ '; ${program}\r`, 'asleep-2\r\n')
    const seen = await giveUp()
    expect(seen + (await type('echo good-$((1 + 1))\r', then('good-2')))).not.toContain('not run')
    // Before its prompt is there; line editors drop some of that.
    if (name === 'dash') await type('q\x03echo fast-$((1 + 1))\r', 'fast-2')
  },
)

test.concurrent.each(everywhere(ALL))(
  '%s through %s: Ctrl-C while a line is held waits for its answer, and its line is not run',
  async (name, protocol) => {
    const shell = await held.shell(name, { protocol })
    const { live, type, giveUp } = shell
    live.input(Buffer.from('echo ponderous-$((40 + 2))\r'))
    await until(() => expect(shell.texts()).toContain('echo ponderous-$((40 + 2))'))
    live.input(Buffer.from('\x03'))
    expect(live.pendingInput).toBe(2)
    shell.pondered.resolve({ action: 'deny', why: notice('denied', DENIED, {}, 'urgent') })
    await until(() => expect(live.pendingInput).toBe(0))
    await giveUp()
    const seen = await type('echo next-$((1 + 1))\r', then('next-2'))
    expect(seen).not.toContain('ponderous-42')
  },
)

test.concurrent('Ctrl-C while others are asked gives up; what is typed next is judged for itself', async () => {
  const shell = await held.shell('bash')
  const { live, type } = shell
  await type('echo doubtful-$((40 + 2))\r', '[Y/n]')
  await type('y\r', 'Ctrl-C to withdraw')
  await type('\x03', 'The command was withdrawn and is not run')
  expect(shell.dropped?.aborted).toBe(true)
  shell.decided.resolve({ action: 'allow' })
  const seen = await type('echo next-$((1 + 1))\r', /next-2/)
  expect(seen).not.toContain('doubtful-42')
  expect(live.isOver).toBe(false)
})

test.concurrent('a question is below the line it is about, also where the machine shows late what is typed', async () => {
  const shell = await held.shell('bash', { delay: 250 })
  const { type } = shell
  const seen = await type('echo doubtful-$((40 + 2))\r', '[Y/n]')
  expect(seen.indexOf('$((40 + 2))')).toBeGreaterThanOrEqual(0)
  expect(seen.indexOf('$((40 + 2))')).toBeLessThan(seen.indexOf('somebody is asked'))
  await type('y\r', 'Ctrl-C to withdraw')
  const approval = notice('held', '{{name}} approved this command', { name: 'Ann(ann)' })
  shell.decided.resolve({ action: 'allow', approval })
  await type('', then('doubtful-42'))
  // The line about waiting has given way to the name of the approver.
  const screen = String(await shell.live.screenNow())
  expect(screen).toContain('Ann(ann) approved this command')
  expect(screen).not.toContain('Ctrl-C to withdraw')
  expect(screen.match(/somebody is asked/g)).toHaveLength(1)
})

test.concurrent('Ctrl-C right behind the yes, before others have been asked, gives up as well', async () => {
  const shell = await held.shell('bash')
  const { type } = shell
  await type('echo doubtful-$((40 + 2))\r', '[Y/n]')
  await type('y\r\x03', 'The command was withdrawn and is not run')
  shell.decided.resolve({ action: 'allow' })
  const seen = await type('echo next-$((1 + 1))\r', /next-2/)
  expect(seen).not.toContain('doubtful-42')
})

test.concurrent('a guest who typed the line answers the question about it; another guest is not heard, and the owner may take it back', async () => {
  const shell = await held.shell('bash')
  const { live, type, text } = shell
  const guest = { id: 'guest', display: 'guest' }
  const asGuest = (keys: string, by = guest) => live.input(Buffer.from(keys), by)
  asGuest('echo doubtful-$((40 + 2))\r')
  await until(() => expect(text()).toContain('[Y/n]'))
  expect(shell.judged.find((unit) => unit.text.includes('doubtful'))?.by).toEqual(guest)
  // Neither a yes nor a no of somebody else.
  asGuest('n\r', { id: 'other', display: 'other' })
  expect(shell.dropped?.aborted).toBe(false)
  asGuest('y\r')
  await until(() => expect(text()).toContain('Ctrl-C to withdraw'))
  asGuest('\x03', { id: 'other', display: 'other' })
  expect(shell.dropped?.aborted).toBe(false)
  await type('\x03', 'The command was withdrawn and is not run')
  expect(shell.dropped?.aborted).toBe(true)
  const seen = await type('echo next-$((1 + 1))\r', /next-2/)
  expect(seen).not.toContain('doubtful-42')
})

test.concurrent.each(['held', 'confirmed'])(
  'a session that is locked while a line is %s sends nothing of it, then or later',
  async (how) => {
    const shell = await held.shell('bash')
    const { live, type } = shell
    if (how === 'held') {
      live.input(Buffer.from('echo ponderous-$((40 + 2))\r'))
      await until(() => expect(shell.texts()).toContain('echo ponderous-$((40 + 2))'))
    } else {
      await type('echo doubtful-$((40 + 2))\r', '[Y/n]')
      await type('y\r', 'Ctrl-C to withdraw')
    }
    live.setLocked(true, 'somebody')
    expect(shell.dropped?.aborted).toBe(true)
    shell.pondered.resolve({ action: 'allow' })
    shell.decided.resolve({ action: 'allow' })
    live.input(Buffer.from('echo locked\r'))
    live.setLocked(false, 'somebody')
    // The notice moved the prompt out of sight.
    if (how === 'held') expect(shell.text()).toMatch(/has unlocked[^\r]*\r\nhere\$ $/)
    // The line is still there: a person who wants it presses return, and is asked again.
    const seen = await type('\x15echo unlocked-$((1 + 1))\r', /unlocked-2/)
    expect(seen).not.toMatch(/-42|locked\r\nlocked/)
  },
)

test.concurrent('a session that is ended while a line is held ends at once, and nothing of it is run', async () => {
  const shell = await held.shell('bash')
  const { live } = shell
  live.input(Buffer.from('echo ponderous > /tmp/held-$$; echo ran\r'))
  await until(() => expect(shell.texts()).toHaveLength(1))
  await live.end('terminated')
  shell.pondered.resolve({ action: 'allow' })
  expect([shell.dropped?.aborted, live.isOver, live.pendingInput]).toEqual([true, true, 0])
})

test.concurrent('a guard that does not answer within five seconds denies in plain words, and the session goes on', async () => {
  const { type } = await held.shell('bash')
  // The next input is judged with the current line until that has been cleared.
  await type(
    'echo ponderous-$((40 + 2))\r',
    /This could not be checked against the rules, so it was not run[\s\S]*here\$ /,
  )
  const seen = await type('echo behind-$((1 + 1))\r', /behind-2/)
  expect(seen).not.toContain('ponderous-42')
})

test.concurrent('a rule that ends, or comes, while a line is held counts as it is then', async () => {
  const shell = await held.shell('bash')
  const { live, type } = shell
  live.input(Buffer.from('echo ponderous-$((40 + 2))\recho forbidden-$((41 + 2))\r'))
  await until(() => expect(shell.texts()).toHaveLength(1))
  shell.applies = false
  shell.pondered.resolve({ action: 'allow' })
  // Later lines are judged in their turn: by then there is no rule.
  await type('', /ponderous-42[\s\S]*forbidden-43\r\n[\s\S]*here\$ /)
  shell.applies = true
  await type('echo forbidden-$((42 + 2))\r', DENIED)
})

test.concurrent.each(everywhere(ALL))(
  '%s through %s: a line that others allowed is run as it stands',
  async (name, protocol) => {
    const shell = await held.shell(name, { protocol })
    const { type } = shell
    await type('echo doubtful-$((50 + 2))\r', '[Y/n]')
    await type('\r', 'Ctrl-C to withdraw')
    shell.decided.resolve({ action: 'allow' })
    await type('', then('doubtful-52'))
  },
)
