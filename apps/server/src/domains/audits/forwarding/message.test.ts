import { expect, test } from 'vitest'
import { type AuditEvent, messageOf } from './message.ts'

const SENDER = { host: 'node 1', facility: 'local0', version: '1.0' }
const event = (record: Record<string, unknown>): AuditEvent => ({
  number: 7,
  category: 'operation_log',
  record,
  at: new Date('2026-11-20T12:00:00Z'),
})

test('a CEF event has its header and its values escaped, and the whole record', () => {
  const text = messageOf(event({ id: 'x', user: 'Ann=a\\b', action: 'a|b', resource: 'one\ntwo' }), 'cef', SENDER)
  expect(text.slice(text.indexOf('CEF:'))).toBe(
    'CEF:0|Sallyport|Sallyport|1.0|operation_log|Operation|3|rt=1795176000000 externalId=x suser=Ann\\=a\\\\b act=a|b cs1Label=record ' +
      'cs1={"id":"x","user":"Ann\\=a\\\\\\\\b","action":"a|b","resource":"one\\\\ntwo"}',
  )
  expect(text.startsWith('<134>1 2026-11-20T12:00:00.000Z node_1 sallyport ')).toBe(true)
})

test('what receivers would cut is made shorter here, so that it stays JSON; a line of JSON is one line', () => {
  const changes = Array.from({ length: 500 }, (_, n) => ({ field: `f${n}`, before: 'a'.repeat(20), after: '\n' }))
  const line = messageOf(event({ id: 'x', resource: '😀'.repeat(4000), changes }), 'json', SENDER)
  expect(line).not.toContain('\n')
  expect(Buffer.byteLength(line)).toBeLessThan(8_000)
  expect(JSON.parse(line)).toMatchObject({
    category: 'operation_log',
    date: '2026-11-20T12:00:00.000Z',
    record: { id: 'x', truncated: true, resource: expect.stringMatching(/^(😀)+…$/u) },
  })
})

test.each(['plain', 'rfc5424', 'cef', 'json'] as const)(
  'what somebody else chose, such as a name of a file, ends no line of a message in the form %s',
  (format) => {
    const hostile = 'a\r\nb\rc\nCEF:0|x|act=delete'
    const message = messageOf(event({ id: 'x', user: hostile, user_agent: hostile }), format, SENDER)
    expect(message).toContain('CEF:0')
    expect(message).not.toMatch(/[\r\n]/)
  },
)
