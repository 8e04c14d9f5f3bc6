import { expect, test } from 'vitest'
import { FloodGate } from '../../../kinds/terminal/flood-gate.ts'
import { ForwardingLimits, OPEN_MS, OPENS } from './limits.ts'

test('a person may open many connections at once, then some each second, whatever others do', () => {
  let now = 0
  const limits = new ForwardingLimits(() => now)
  const opened = (who: string, tries: number) =>
    Array.from({ length: tries }, () => limits.mayOpen(who)).filter(Boolean)
  expect(opened('walker', 1_000)).toHaveLength(200)
  expect(opened('other', 10)).toHaveLength(10)
  now += 1_000
  expect(opened('walker', 1_000)).toHaveLength(20)
  now += 60_000
  expect(opened('walker', 1_000)).toHaveLength(200)
})

test('after thirty refusals one in two seconds is asked for and logged', () => {
  let now = 0
  const limits = new ForwardingLimits(() => now)
  const logged = (tries: number) => Array.from({ length: tries }, () => limits.noteRefusal('walker')).filter(Boolean)
  expect(logged(100)).toHaveLength(30)
  expect([limits.mayAsk('walker'), limits.mayAsk('other')]).toEqual([false, true])
  now += 2_000
  expect(limits.mayAsk('walker')).toBe(true)
  expect(logged(100)).toHaveLength(1)
})

test('the recording has room for the lines of all connections that a person can open', () => {
  let now = 0
  const gate = new FloodGate(() => now)
  // A socket's path of the longest letters, and the machine's longest words.
  const lines = [`Forwarded to ${'界'.repeat(108)}\n`, `Closed: ${'界'.repeat(108 + 200)}, 1 bytes sent, 1 received\n`]
  const all = (count: number) => {
    for (let n = 0; n < count; n++)
      for (const line of lines) expect(gate.pass(Buffer.from(line)).length).toBeGreaterThan(line.length)
  }
  all(OPENS)
  for (; now < 600_000; now += OPEN_MS) all(1)
})
