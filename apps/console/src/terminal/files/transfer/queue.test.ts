import { expect, test } from 'vitest'
import {
  changeQueue,
  type Draft,
  EMPTY_QUEUE,
  FIRST_PART,
  isUnderWay,
  MAX_LOSSES,
  nextPart,
  type Queue,
  type QueueAction,
  question,
  startable,
  totals,
} from './queue.ts'

const draft = (name: string, size = 100): Draft => ({ kind: 'upload', name, to: `/m/${name}`, size })
const after = (queue: Queue, ...actions: QueueAction[]) => actions.reduce(changeQueue, queue)
const states = ({ list }: Queue) => list.map(({ state }) => state)
const five = after(EMPTY_QUEUE, { do: 'add', drafts: ['a', 'b', 'c', 'd', 'e'].map((name) => draft(name)) })
const existing = { kind: 'file', size: 1, modified: 1 } as const
const running = (queue: Queue, ...ids: number[]) => after(queue, ...ids.map((id): QueueAction => ({ do: 'start', id })))

test('three run at a time, in the order in which they were added; the next starts when one is over', () => {
  expect(startable(five).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  const three = running(five, 1, 2, 3)
  expect(startable(three)).toEqual([])
  expect(startable(after(three, { do: 'done', id: 2 })).map(({ name }) => name)).toEqual(['d'])
})

test('a taken name is asked about while the others go on; one answer for all holds for those that come later', () => {
  const asking = after(running(five, 1, 2), { do: 'conflict', id: 1, existing }, { do: 'conflict', id: 2, existing })
  expect(question(asking)?.name).toBe('a')
  expect(startable(asking).map(({ name }) => name)).toEqual(['c', 'd', 'e'])
  const one = after(asking, { do: 'answer', id: 1, answer: 'keep', forAll: false })
  expect([states(one).slice(0, 2), one.answers.size]).toEqual([['waiting', 'asking'], 0])
  const all = after(asking, { do: 'answer', id: 1, answer: 'skip', forAll: true })
  expect(states(all).slice(0, 3)).toEqual(['skipped', 'skipped', 'waiting'])
  expect(all.answers.get(1)).toBe('skip')
})

test('the answer for all of one batch says nothing about another', () => {
  const two = after(five, { do: 'add', drafts: [draft('x')] })
  const asking = after(running(two, 1, 6), { do: 'conflict', id: 1, existing }, { do: 'conflict', id: 6, existing })
  const answered = after(asking, { do: 'answer', id: 1, answer: 'overwrite', forAll: true })
  expect(question(answered)?.name).toBe('x')
})

test('what somebody else has made meanwhile is never taken for our own half', () => {
  const begun = after(
    running(five, 1),
    { do: 'begin', id: 1, to: '/m/a', replace: false },
    { do: 'conflict', id: 1, existing },
  )
  expect(begun.list[0]).toMatchObject({ state: 'asking', begun: false })
})

test('a paused one waits for its person, keeps what it has sent, and late news of it is not heard', () => {
  const paused = after(
    running(five, 1),
    { do: 'progress', id: 1, sent: 40 },
    { do: 'pause', id: 1 },
    { do: 'failed', id: 1, error: 'late' },
  )
  expect(paused.list[0]).toMatchObject({ state: 'paused', sent: 40, error: undefined })
  expect(startable(paused).map(({ id }) => id)).not.toContain(1)
  expect(after(paused, { do: 'resume', id: 1 }).list[0]?.state).toBe('waiting')
})

test('a lost line is tried again until nothing gets through for long; every byte counts as hope', () => {
  const lose = (queue: Queue) => after(running(queue, 1), { do: 'lost', id: 1, error: 'gone' })
  let queue = five
  for (let time = 1; time < MAX_LOSSES; time++) queue = lose(queue)
  expect(queue.list[0]?.state).toBe('lost')
  const moved = after(running(queue, 1), { do: 'progress', id: 1, sent: 10 }, { do: 'lost', id: 1, error: 'gone' })
  expect(moved.list[0]).toMatchObject({ state: 'lost', losses: 1 })
  expect(lose(queue).list[0]).toMatchObject({ state: 'failed', error: 'gone' })
})

test('pausing, cancelling and trying again can be said of all', () => {
  const mixed = after(running(five, 1, 2), { do: 'failed', id: 1, error: 'no' }, { do: 'done', id: 2 })
  expect(states(after(mixed, { do: 'pause' }))).toEqual(['failed', 'done', 'paused', 'paused', 'paused'])
  const cancelled = after(mixed, { do: 'cancel' })
  expect(states(cancelled)).toEqual(['failed', 'done', 'cancelled', 'cancelled', 'cancelled'])
  // What somebody cancelled stays so, unless it is named.
  expect(states(after(cancelled, { do: 'retry' }))).toEqual(['waiting', 'done', 'cancelled', 'cancelled', 'cancelled'])
  expect(states(after(cancelled, { do: 'retry', id: 3 }))[2]).toBe('waiting')
  expect(after(cancelled, { do: 'clear' }).list).toEqual([])
})

test('the sum leaves out what was skipped or cancelled, and leaving asks only while something runs', () => {
  const queue = after(
    running(five, 1, 2),
    { do: 'done', id: 1 },
    { do: 'progress', id: 2, sent: 50 },
    { do: 'cancel', id: 5 },
  )
  expect(totals(queue)).toEqual({ count: 5, over: 2, failed: 0, sent: 150, size: 400 })
  // However much of it was sent, nothing of a failed file is there.
  const failed = after(queue, { do: 'failed', id: 2, error: 'no' })
  expect(totals(failed)).toEqual({ count: 5, over: 3, failed: 1, sent: 100, size: 400 })
  expect(isUnderWay(queue)).toBe(true)
  expect(isUnderWay(after(queue, { do: 'pause' }))).toBe(false)
})

test('keeping both goes on under the new name', () => {
  const begun = after(running(five, 1), { do: 'begin', id: 1, to: '/m/a (1)', replace: false })
  expect(begun.list[0]).toMatchObject({ name: 'a (1)', to: '/m/a (1)', begun: true })
})

test('parts grow on a fast line and shrink on a slow one, within 1 and 32 MB', () => {
  expect(nextPart(FIRST_PART, 100)).toBe(2 * FIRST_PART)
  expect(nextPart(32 * 1024 * 1024, 10)).toBe(32 * 1024 * 1024)
  expect(nextPart(FIRST_PART, 30_000)).toBe(FIRST_PART / 2)
  expect(nextPart(2 * 1024 * 1024, 60_000)).toBe(1024 * 1024)
})
