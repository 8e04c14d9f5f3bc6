import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eachHost, Gathered } from './each-host.ts'

/** Works on machines, and says how many of them there were at once. */
function counted() {
  const parts = { now: 0, most: 0, done: [] as number[] }
  const work = async (host: number) => {
    parts.now++
    parts.most = Math.max(parts.most, parts.now)
    await turn()
    parts.now--
    parts.done.push(host)
  }
  return { parts, work }
}

const machines = (amount: number) => Array.from({ length: amount }, (_, n) => n)

test('[A1.11] a thousand machines are worked on ten at a time, each once; many such runs of a node share fifty', async () => {
  const one = counted()
  await eachHost(machines(1000), one.work)
  expect([one.parts.most, [...one.parts.done].sort((a, b) => a - b)]).toEqual([10, machines(1000)])
  const all = counted()
  await Promise.all(machines(8).map(() => eachHost(machines(100), all.work)))
  expect([all.parts.most, all.parts.done.length]).toEqual([50, 800])
})

test('[A1.11] a machine that does not answer holds one place, and nobody else', async () => {
  const silent = Promise.withResolvers<void>()
  const done: number[] = []
  const run = eachHost(machines(100), async (host) => {
    if (host === 0) await silent.promise
    done.push(host)
  })
  await expect.poll(() => done.length).toBe(99)
  silent.resolve()
  await run
  expect(done.at(-1)).toBe(0)
})

test('[A1.11] the answers of a thousand machines are stored together, in order and once', async () => {
  const writes: number[][] = []
  const gathered = new Gathered<number>(async (items) => {
    writes.push([...items])
    await turn()
  })
  for (const item of machines(1000)) gathered.add(item)
  await gathered.flush()
  expect(writes).toEqual([machines(1000)])
  await gathered.flush()
  expect(writes.flat()).toEqual(machines(1000))
})
