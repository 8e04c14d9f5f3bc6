import pino from 'pino'
import { expect, test } from 'vitest'
import { collectedCommands } from '../../session/command-log-fixture.ts'
import { DesktopSession, type DesktopSessionParts } from './desktop-session.ts'
import { Picture } from './picture/picture.ts'

/** A session whose person has these rights; what reaches the machine and the person. */
function aSession(target: object, mayUse: DesktopSessionParts['mayUse'] = async () => true) {
  const copied: (string | undefined)[] = []
  const live = new DesktopSession({
    id: 'x',
    orgId: '',
    person: { id: 'p', name: 'P', username: 'p', language: 'en', remoteAddress: '', loginFrom: 'WT' },
    log: pino({ level: 'silent' }),
    recording: { begin() {}, changed() {}, mark() {} },
    commands: collectedCommands(),
    owner: { changed() {}, tell() {}, copied: (text?: string) => void copied.push(text) },
    target: { picture: new Picture(64, 64), start() {}, ...target },
    mayUse,
  } as unknown as DesktopSessionParts)
  return { live, copied }
}

test('somebody who presses every key there is holds down no more than a keyboard has', () => {
  const down = new Set<number>()
  const { live } = aSession({
    key: (isDown: boolean, keysym: number) => void (isDown ? down.add(keysym) : down.delete(keysym)),
  })
  for (let keysym = 1; keysym <= 10_000; keysym++) live.key(true, keysym)
  expect(down.size).toBe(256)
  live.key(false, 1)
  live.key(true, 10_000)
  expect([down.size, down.has(10_000)]).toEqual([256, true])
})

test('what is pasted while a right is asked for waits as one text, the newest, in its turn', async () => {
  const did: string[] = []
  const asked: (() => void)[] = []
  const { live } = aSession(
    {
      paste: (text: string) => void did.push(text),
      key: (_isDown: boolean, keysym: number) => void did.push(`${keysym}`),
    },
    () => new Promise((resolve) => asked.push(() => resolve(true))),
  )
  live.paste('first')
  live.key(true, 1)
  for (let n = 0; n < 10_000; n++) live.paste(`text ${n}`)
  live.key(true, 2)
  const answer = async (text: string) => {
    asked.shift()?.()
    await expect.poll(() => did).toContain(text)
  }
  await answer('first')
  await expect.poll(() => asked.length).toBe(1)
  expect(did).toEqual(['first', '1'])
  await answer('2')
  expect([did, asked]).toEqual([['first', '1', 'text 9999', '2'], []])
})

test('a paste whose right is asked for does not reach a machine that somebody else has the keys of by then', async () => {
  const did: string[] = []
  let answer = () => {}
  const { live } = aSession(
    { paste: (text: string) => void did.push(text), key: () => void did.push('a key') },
    () =>
      new Promise((resolve) => {
        answer = () => resolve(true)
      }),
  )
  live.paste('mine')
  live.handOver({ id: 'guest', user: 'Guest' })
  live.key(true, 1, 'guest')
  answer()
  await expect.poll(() => did).toEqual(['a key'])
})

test('a copy that is refused takes back what was offered before', async () => {
  let may = true
  let copy: (text: string) => void = () => {}
  const { copied } = aSession(
    { start: (listener: { copied(text: string): void }) => void (copy = listener.copied) },
    async () => may,
  )
  copy('one')
  await expect.poll(() => copied).toEqual(['one'])
  may = false
  copy('two')
  await expect.poll(() => copied).toEqual(['one', undefined])
})
