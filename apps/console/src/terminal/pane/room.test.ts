import { expect, test } from 'vitest'
import { EMPTY_ROOM, roomHandlers } from './room.ts'

const user = (id: string, created: string) => ({ id, user: id, created, remote_addr: '::1', primary: id === 'a' })

test('[A2.67] people are listed as they came; links, refusals and locks are noticed', () => {
  let room = EMPTY_ROOM
  const on = roomHandlers((next) => {
    room = next(room)
  })
  on.TERMINAL_SHARE_USERS({ b: user('b', '2026-11-21T08:00:01Z'), a: user('a', '2026-11-21T08:00:00Z') })
  expect(room.users.map(({ id }) => id)).toEqual(['a', 'b'])
  on.TERMINAL_SHARE({ share_id: 's', code: 'a1b2' })
  expect(room.share).toEqual({ id: 's', code: 'a1b2' })
  on.TERMINAL_SHARE({ share_id: '', code: '' })
  expect(room.share).toBe('failed')
  on.TERMINAL_LOCK({ locked: true })
  expect(room.isLocked).toBe(true)
})
