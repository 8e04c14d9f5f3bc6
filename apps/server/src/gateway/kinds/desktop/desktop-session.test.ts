import pino from 'pino'
import { expect, test } from 'vitest'
import { collectedCommands } from '../../session/command-log-fixture.ts'
import { DesktopSession, type DesktopSessionParts } from './desktop-session.ts'
import { Picture } from './picture/picture.ts'

test('somebody who presses every key there is holds down no more than a keyboard has', () => {
  const down = new Set<number>()
  const target = {
    picture: new Picture(64, 64),
    start() {},
    key: (isDown: boolean, keysym: number) => void (isDown ? down.add(keysym) : down.delete(keysym)),
  }
  const live = new DesktopSession({
    id: 'x',
    orgId: '',
    person: { id: 'p', name: 'P', username: 'p', language: 'en', remoteAddress: '', loginFrom: 'WT' },
    log: pino({ level: 'silent' }),
    recording: { begin() {}, changed() {} },
    commands: collectedCommands(),
    owner: { changed() {} },
    target,
  } as unknown as DesktopSessionParts)
  for (let keysym = 1; keysym <= 10_000; keysym++) live.key(true, keysym)
  expect(down.size).toBe(256)
  live.key(false, 1)
  live.key(true, 10_000)
  expect([down.size, down.has(10_000)]).toEqual([256, true])
})
