import { expect, test } from 'vitest'
import { ThreadLost, Threads } from '../threads.ts'
import type { IdleOrEndless } from './thread-limits-fixture.ts'

const PROCESSOR_MS = 400
const threads = new Threads<IdleOrEndless>(
  new URL('./thread-limits-fixture.ts', import.meta.url),
  { size: 1, maxWaiting: 4, timeoutMs: 600_000, processorMs: PROCESSOR_MS, memoryMb: 64 },
  () => new Error('too many'),
)

test('a task that never ends is given up by what it takes of a processor; one that gets no processor for as long is not', async () => {
  expect(await threads.run({ idleMs: 2 * PROCESSOR_MS })).toBe('done')
  await expect(threads.run('endless')).rejects.toThrow(ThreadLost)
  // The next has a thread of its own.
  expect(await threads.run({ idleMs: 1 })).toBe('done')
})
