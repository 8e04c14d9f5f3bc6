import { expect, test } from 'vitest'
import type { StatementSession } from '../kinds/statements/statement-session.ts'
import { SessionTarget } from './session-target.ts'

test('a server whose answers never come here as bytes is held back all the same, until more is wanted', () => {
  const events: string[] = []
  const session = { ownerBehind: () => events.push('held'), ownerDrained: () => events.push('read on') }
  const target = new SessionTarget({ refuse() {}, tell() {} })
  target.pause()
  target.resume()
  target.in(session as unknown as StatementSession)
  target.pause()
  expect(target.owner.write(Buffer.of(1))).toBe(false)
  target.resume()
  expect(target.owner.write(Buffer.of(1))).toBe(true)
  expect(events).toEqual(['held', 'read on'])
})
