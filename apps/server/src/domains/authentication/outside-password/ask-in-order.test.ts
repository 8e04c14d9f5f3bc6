import { expect, test } from 'vitest'
import { type Ask, askInOrder } from './ask-in-order.ts'

const LONG_MS = 60_000
const unknown: Ask<string> = async () => 'not asked'
/** Knows the name, and answers by whether it was its turn. */
const known =
  (name: string): Ask<string> =>
  async (turn) =>
    `${name}: ${await turn()}`
const silent: Ask<string> = () => new Promise(() => {})

test('the first in the order that knows the name decides, however late it says so; the others do not try', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const tried: string[] = []
  const late: Ask<string> = async (turn) => {
    await promise
    return (await turn()) ? 'late' : 'refused'
  }
  const early: Ask<string> = async (turn) => {
    const mayTry = turn()
    resolve()
    if (await mayTry) tried.push('early')
    return 'early'
  }
  expect(await askInOrder([unknown, late, early], LONG_MS)).toBe('late')
  expect(tried).toEqual([])
  expect(await askInOrder([unknown, known('b')], LONG_MS)).toBe('b: true')
  expect(await askInOrder([unknown, unknown], LONG_MS)).toBeUndefined()
})

test('one that does not answer holds up the others for a bounded time, and may not try once it is over', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { promise: over, resolve: end } = Promise.withResolvers<boolean>()
  const slow: Ask<string> = async (turn) => {
    await promise
    end(await turn())
    return 'slow'
  }
  expect(await askInOrder([slow, known('b')], 20)).toBe('b: true')
  resolve()
  expect(await over).toBe(false)
  await expect(askInOrder([silent, unknown], 20)).rejects.toThrow('did not answer in time')
})

test('the failure of a source is thrown where nobody else knows the name, and where that source knows it', async () => {
  const away: Ask<string> = async () => Promise.reject(new Error('away'))
  const broken: Ask<string> = async (turn) => {
    await turn()
    throw new Error('broken')
  }
  expect(await askInOrder([away, known('b')], LONG_MS)).toBe('b: true')
  await expect(askInOrder([away, unknown], LONG_MS)).rejects.toThrow('away')
  await expect(askInOrder([broken, known('b')], LONG_MS)).rejects.toThrow('broken')
  await expect(askInOrder([away], LONG_MS)).rejects.toThrow('away')
})
