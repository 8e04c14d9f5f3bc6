import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEYED } from '../../guard/corpus.ts'
import { ALL, DENIED, type HeldLines, openHeldLines, type Shell } from './held-lines-fixture.ts'

let held: HeldLines
beforeAll(async () => {
  held = await openHeldLines()
})
afterAll(() => held?.close())

const REFUSED = new RegExp(`${DENIED}|could not be read off the screen|were not sent`)

/** Shells of each kind, which share the techniques. */
const AT_A_TIME = 4

test('keys that line editors turn into another line do what the corpus of bypasses says', async () => {
  const trials = ALL.flatMap((name) => Array.from({ length: AT_A_TIME }, (_, turn) => tryAll(name, turn)))
  await Promise.all(trials)
})

async function tryAll(name: Shell, turn: number): Promise<void> {
  const { type, giveUp } = await held.shell(name)
  const all = [...KEYED.entries()].filter(([, { shells }]) => shells.includes(name))
  for (const [at, { technique, before, after, keys, expected }] of all.filter((_, n) => n % AT_A_TIME === turn)) {
    const run = (line: string) =>
      type(`${line}; echo ready-$((${at} + 200))\r`, new RegExp(`ready-${at + 200}\\r\\n[\\s\\S]*here\\$ `))
    // Its output differs from its echo.
    const command = `echo forbidden-$((${at} + 100))`
    // A prompt that is still to come would have the keys typed ahead of it.
    await run((before ?? ':').replace('{UNSEEN}', `'${command.replace('bid', "b''id")}'`))
    const ran = new RegExp(`forbidden-${at + 100}`)
    const isCaught = expected.deny === 'caught'
    const [ahead, behind] = keysOf(keys, command).split('{PROMPT}') as [string, string?]
    if (behind) await type(ahead, new RegExp(`here\\$ [^\n]*${ahead.split('\r').at(-1)}$`))
    const seen = await type(behind ?? ahead, isCaught ? REFUSED : ran)
    const rest = isCaught ? await giveUp() : ''
    expect([name, technique, isCaught && ran.test(seen + rest)]).toEqual([name, technique, false])
    if (after) await run(after)
  }
  await type('echo behind-$((1 + 1))\r', /behind-2/)
}

const keysOf = (keys: string, command: string) =>
  keys.replace('{COMMAND}', command).replace('{ZEROED}', command.replace('bid', '\0bid'))
