import { expect, test } from 'vitest'
import { outputQueue } from './output-queue.ts'

test('[A2.67] output keeps its order and no more than a megabyte waits to be drawn', () => {
  const written: number[] = []
  const drawn: (() => void)[] = []
  const push = outputQueue((output, done) => {
    written.push(output.length)
    drawn.push(done)
  })
  const sizes = [600_000, 500_000, 3, 700_000]
  for (const size of sizes) push(new Uint8Array(size))
  expect(written).toEqual([600_000, 500_000])
  while (drawn.length > 0) drawn.shift()?.()
  expect(written).toEqual(sizes)
})
