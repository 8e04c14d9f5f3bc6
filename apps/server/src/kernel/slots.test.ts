import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

test('owners take turns, however much one of them has waiting; all places are used, and what fails gives its place back', async () => {
  const slots = new Slots(2)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const failed: unknown[] = []
  const use = (owner: string, name: string) =>
    slots
      .use(() => {
        begun.push(name)
        return new Promise<void>((_, reject) => ends.push(() => reject(name)))
      }, owner)
      .catch((error) => failed.push(error))
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => use(name.slice(0, 1), name))
  for (let done = 0; done < 7; done++) {
    await expect.poll(() => ends.length).toBeGreaterThan(0)
    expect(begun.length - done).toBeLessThanOrEqual(2)
    ends.shift()?.()
    await expect.poll(() => failed.length).toBe(done + 1)
  }
  await Promise.all(all)
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2'])
})
