import { expect, test } from 'vitest'
import { collectedCommands } from '../../session/command-log-fixture.ts'
import { SessionInput, type SessionInputParts } from './session-input.ts'

test('where the line can not be read any more, by a fault of our own, it is denied, interrupted, and the session goes on', async () => {
  const sent: string[] = []
  const written: string[] = []
  const notices: string[] = []
  const commands = collectedCommands()
  const parts = {
    id: 'session',
    log: { error: () => {} },
    person: { language: 'en' },
    program: { terminal: { type: 'xterm', size: { cols: 80, rows: 24 } } },
    target: {
      write: (bytes: Buffer) => {
        written.push(bytes.toString())
        // The machine shows something.
        setImmediate(() => input.shown())
      },
    },
    commands,
    guard: { applies: true, judge: () => ({ action: 'allow' }) },
    noteUnseen: () => {},
  } as unknown as SessionInputParts
  const input = new SessionInput(parts, {
    line: () => {
      throw new Error('broken')
    },
    cleared: () => {},
    send: (bytes) => void sent.push(bytes.toString()),
    show: () => {},
    columns: () => 80,
    tell: ({ code }) => void notices.push(code),
    end: () => {},
    now: () => 0,
  })
  input.take(Buffer.from('ls\r'), undefined)
  input.take(Buffer.from('pwd'), undefined)
  await expect.poll(() => sent).toEqual(['ls', 'pwd'])
  expect([notices, written]).toEqual([['unjudged'], ['\x05\x15', '\x03']])
  input.close()
})
