import { expect, test } from 'vitest'
import { StepReader, type Steps } from './steps.ts'

test('bytes in pieces of any size are read as they were sent', () => {
  const sent = Buffer.from(Array.from({ length: 40_000 }, (_, n) => (n * 7) & 0xff))
  for (const sizes of [[1], [1, 3, 0, 1000], [20_000, 1], [40_000]]) {
    const read: Buffer[] = []
    const reader = new StepReader(
      (function* (): Steps {
        for (let length = 1; ; length = (length * 3) % 5003) read.push(Buffer.from(yield length))
      })(),
    )
    for (let at = 0, n = 0; at < sent.length; n++) {
      const size = sizes[n % sizes.length] as number
      reader.add(sent.subarray(at, at + size))
      if (n % 5 === 0) reader.read()
      at += size
    }
    reader.read()
    const all = Buffer.concat(read)
    expect([sizes, all.equals(sent.subarray(0, all.length)), all.length + reader.waiting]).toEqual([
      sizes,
      true,
      sent.length,
    ])
  }
})

test('a reader whose work asks for more to be read goes on with it in order', () => {
  const read: number[] = []
  function* steps(): Steps {
    for (;;) {
      read.push((yield 1)[0] as number)
      reader.read()
    }
  }
  const reader = new StepReader(steps())
  reader.add(Buffer.of(1, 2, 3))
  reader.read()
  expect([read, reader.waiting]).toEqual([[1, 2, 3], 0])
})
