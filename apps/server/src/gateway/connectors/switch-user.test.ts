import { expect, test } from 'vitest'
import type { TargetStream } from '../kinds/terminal/streams.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import { switched } from './switch-user.ts'

/** A machine that says what a test wants it to. */
function machine() {
  const parts = { says: (_text: string): void => {}, isClosed: false, written: '' }
  const stream = {
    start: (output: (bytes: Buffer, stream: 'stdout') => void) => {
      parts.says = (text) => output(Buffer.from(text), 'stdout')
    },
    write: (bytes: Buffer) => {
      parts.written += bytes
      return true
    },
    close: () => {
      parts.isClosed = true
    },
  }
  return { parts, stream: stream as unknown as TargetStream }
}

const target = { credentials: { username: 'inner', password: 'pw-7q!x' }, switchFrom: { username: 'door' } }
const switching = (stream: TargetStream) =>
  switched(stream, target as unknown as ConnectionTarget, new AbortController().signal)

test('[A3.17] a machine that never stops refusing is left, and one that says more than a prompt is handed on without the password', async () => {
  const refusing = machine()
  const refused = switching(refusing.stream)
  refusing.parts.says('su: ')
  for (let n = 0; n < 100; n++) refusing.parts.says('no '.repeat(1000))
  await expect(refused).rejects.toThrow('did not let {{from}} switch')
  expect(refusing.parts.isClosed).toBe(true)

  const talking = machine()
  const opened = switching(talking.stream)
  for (let n = 0; n < 100; n++) talking.parts.says('so much to say '.repeat(100))
  const shown: number[] = []
  ;(await opened).start(
    (bytes) => void shown.push(bytes.length),
    () => {},
  )
  expect(shown).toHaveLength(100)
  expect(talking.parts).toMatchObject({ isClosed: false, written: '' })
})
