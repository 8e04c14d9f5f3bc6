import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ALL,
  DENIED,
  EDITORS,
  everywhere,
  type HeldLines,
  openHeldLines,
  type Shell,
  promptBehind as then,
} from './held-lines-fixture.ts'

let held: HeldLines
beforeAll(async () => {
  held = await openHeldLines()
})
afterAll(() => held?.close())

const WIDE = '你好，世界'
const LONG = 'x'.repeat(200)
/** Its output differs from its echo, which comes before a prompt of its own where it is typed ahead. */
const SUM = 'echo sum-$((1 + 1))'

type Way = [way: string, shells: Shell[], keys: string, seen: RegExp, expected: string[]]
const WAYS: Way[] = [
  ['typed', ALL, 'echo plain\r', then('plain'), ['echo plain']],
  ['Ctrl-J', ALL, 'echo j\n', then('j'), ['echo j']],
  ['several returns in a packet', ALL, `echo a1\r${SUM}\r`, then('sum-2'), ['echo a1', SUM]],
  ['ahead of what runs', ALL, `sleep 0.2\r${SUM}\r`, then('sum-2'), ['sleep 0.2', SUM]],
  ['from the history', EDITORS, '\x1b[A\r', then('sum-2'), [SUM]],
  ['twice in a packet', EDITORS, '\x1b[A\r\x1b[A\x1b[A\r', /sum-2\r\n[\s\S]*here\$ [\s\S]*\n[\s\S]*here\$ /, [SUM]],
  ['reverse search', EDITORS, '\x12plai\r', then('plain'), ['echo plain']],
  ['completion', EDITORS, 'echo /etc/hostna\t\r', then('/etc/hostname'), ['echo /etc/hostname']],
  ['the cursor moved', EDITORS, 'cho edited\x01e\r', then('edited'), ['echo edited']],
  ['killed and yanked', EDITORS, 'echo killed\x15\x19\r', then('killed'), ['echo killed']],
  ['wide characters', ALL, `echo ${WIDE}\r`, then(WIDE), [`echo ${WIDE}`]],
  ['wide characters from the history', EDITORS, '\x1b[A\r', then(WIDE), [`echo ${WIDE}`]],
  ['longer than the window', ALL, `echo ${LONG}\r`, then(LONG), [`echo ${LONG}`]],
  ['longer than the window, from the history', EDITORS, '\x10\r', then(LONG), [`echo ${LONG}`]],
  [
    'a backslash at the end',
    ALL,
    'echo c \\\rcontinued\r',
    then('c continued'),
    ['echo c \\', 'continued', 'echo c continued'],
  ],
  ['a here document', ALL, 'cat <<E\rbody\rE\r', then('body'), ['cat <<E', 'body', 'E', 'cat <<E\nbody\nE']],
  [
    'a loop',
    ALL,
    'for i in 1; do\recho loop$i\rdone\r',
    then('loop1'),
    ['for i in 1; do', 'echo loop$i', 'done', 'for i in 1; do\necho loop$i\ndone'],
  ],
  ['several rows from the history', ['zsh'], '\x1b[A\r', then('loop1'), ['for i in 1; do\necho loop$i\ndone']],
  [
    'a bracketed paste of lines',
    EDITORS,
    '\x1b[200~echo p1\necho p2\x1b[201~\r',
    then('p2'),
    ['echo p1', 'echo p1\necho p2'],
  ],
]

test.concurrent.each(everywhere(ALL))(
  '%s through %s: what is judged is the line as the shell has it',
  async (name, protocol) => {
    const shell = await held.shell(name, { protocol })
    const { live, type } = shell
    for (const [way, shells, keys, seen, expected] of WAYS) {
      if (!shells.includes(name)) continue
      shell.judged.splice(0)
      await type(keys, seen)
      expect([way, shell.texts()]).toEqual([way, expect.arrayContaining(expected)])
      live.settle()
    }
  },
)

const DENIED_WAYS: [way: string, shells: Shell[], keys: string][] = [
  ['typed', ALL, 'echo forbidden-$((41 + 2))\r'],
  ['erased in part', ALL, 'echo forbidden-$((43 + 2)) x\x7f\x7f\r'],
  ['from the history', EDITORS, '\x1b[A\r'],
  ['reverse search', EDITORS, '\x12forbid\r'],
  ['Ctrl-O', EDITORS, '\x1b[A\x0f'],
  ['with the cursor inside', EDITORS, 'cho forbidden-$((44 + 2))\x01e\r'],
  ['pasted among others', EDITORS, '\x1b[200~echo forbidden-$((45 + 2))\necho ok\x1b[201~\r'],
  ['on a second line', ALL, 'echo forb\\\ridden-$((46 + 2))\r'],
]

test.concurrent.each(everywhere(EDITORS))(
  '%s through %s: a paste that was denied is gone, and the next one comes without it',
  async (name, protocol) => {
    const { type } = await held.shell(name, { protocol })
    await type('\x1b[200~echo forbidden-$((45 + 2))\necho ok\x1b[201~\r', DENIED)
    await type('\r', /here\$ /)
    const seen = await type('\x1b[200~echo next-$((1 + 1))\x1b[201~\r', then('next-2'))
    expect(seen).not.toContain('forbidden')
  },
)

test.concurrent.each(everywhere(ALL))(
  '%s through %s: a denied line is not run, however it was entered, and the next one is',
  async (name, protocol) => {
    const shell = await held.shell(name, { protocol })
    const { type, giveUp } = shell
    shell.applies = false
    await type('echo forbidden-$((40 + 2))\r', /forbidden-42[\s\S]*here\$ /)
    shell.applies = true
    for (const [way, shells, keys] of DENIED_WAYS) {
      if (!shells.includes(name)) continue
      const seen = await type(keys, DENIED)
      expect([way, seen]).toEqual([way, expect.not.stringMatching(/forbidden-\d/)])
      // In a search an interrupt ends that alone.
      await giveUp()
    }
    await type('echo behind-$((1 + 1))\r', /behind-2/)
  },
)
