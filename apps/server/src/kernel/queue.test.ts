import { expect, test } from 'vitest'
import { Queue } from './queue.ts'

test('what comes first goes first, however many come and go in between', () => {
  const queue = new Queue<number>()
  const gone: (number | undefined)[] = []
  for (let at = 0; at < 5000; at++) {
    queue.push(at)
    if (at % 3) gone.push(queue.shift())
  }
  expect([queue.length, queue.head]).toEqual([5000 - gone.length, gone.length])
  expect(queue.all()).toHaveLength(queue.length)
  while (queue.length) gone.push(queue.shift())
  expect(gone).toEqual(Array.from({ length: 5000 }, (_, at) => at))
  expect(queue.shift()).toBeUndefined()
  queue.push(1)
  expect(queue.all()).toEqual([1])
})

test('an item that is put back goes next', () => {
  const queue = new Queue<number>()
  for (let at = 0; at < 3; at++) queue.push(at)
  expect(queue.last).toBe(2)
  queue.putBack(queue.shift() as number)
  queue.putBack(-1)
  expect(queue.all()).toEqual([-1, 0, 1, 2])
  for (let at = 0; at < 4; at++) queue.shift()
  expect(queue.last).toBeUndefined()
  queue.putBack(7)
  expect([queue.head, queue.last, queue.length]).toEqual([7, 7, 1])
})
