import { expect, test } from 'vitest'
import { EMPTY_ROOM, roomAfter } from './room.ts'

const user = (id: string, created: string) => ({ id, user: id, created, remote_addr: '::1', primary: id === 'a' })

test('[A2.67] people are listed as they came; links, refusals and locks are noticed, anything else is passed over', () => {
  const users = { b: user('b', '2026-11-21T08:00:01Z'), a: user('a', '2026-11-21T08:00:00Z') }
  expect(roomAfter(EMPTY_ROOM, 'TERMINAL_SHARE_USERS', users).users.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(roomAfter(EMPTY_ROOM, 'TERMINAL_SHARE', { share_id: 's', code: 'a1b2' }).share).toEqual({
    id: 's',
    code: 'a1b2',
  })
  expect(roomAfter(EMPTY_ROOM, 'TERMINAL_SHARE', { share_id: '', code: '' }).share).toBe('failed')
  expect(roomAfter(EMPTY_ROOM, 'TERMINAL_LOCK', { locked: true }).isLocked).toBe(true)
  expect(roomAfter(EMPTY_ROOM, 'TERMINAL_LOCK', 'nonsense')).toBe(EMPTY_ROOM)
  expect(roomAfter(EMPTY_ROOM, 'TERMINAL_ACTION', { any: 1 })).toBe(EMPTY_ROOM)
})
