import { expect, test } from 'vitest'
import { PreparedStatements } from './prepared-statements.ts'

test('a statement reported as not prepared makes room for others once', () => {
  const prepared = new PreparedStatements(() => 0)
  const million = 'x'.repeat(1_000_000)
  const prepare = (name: string) =>
    prepared.prepare(Buffer.from(name), { text: million, bytes: Buffer.alloc(0) }, false)
  const first = prepare('a')
  prepare('a')
  for (let times = 0; times < 20; times++) prepared.isNotPrepared(first)
  for (let at = 0; at < 9; at++) prepare(`${at}`)
  expect(prepared.last(Buffer.from('a'))).toBeUndefined()
})
