import pino from 'pino'
import { expect, test } from 'vitest'
import { collectedCommands } from '../../session/command-log-fixture.ts'
import type { DesktopMarker } from './desktop-log.ts'
import { DesktopSession, type DesktopSessionParts } from './desktop-session.ts'
import { Picture } from './picture/picture.ts'
import type { DesktopListener, Typed } from './streams.ts'

/** A session whose person has these rights; what reaches the machine and the person. */
function aSession(
  target: object,
  mayUse: DesktopSessionParts['mayUse'] = async () => true,
  more: Partial<DesktopSessionParts> = {},
) {
  const copied: (string | undefined)[] = []
  const marks: DesktopMarker[] = []
  const live = new DesktopSession({
    id: 'x',
    orgId: '',
    person: { id: 'p', name: 'P', username: 'p', language: 'en', remoteAddress: '', loginFrom: 'WT' },
    log: pino({ level: 'silent' }),
    recording: { begin() {}, changed() {}, pressed() {}, mark: (marker: DesktopMarker) => void marks.push(marker) },
    commands: collectedCommands(),
    owner: { changed() {}, tell() {}, bell() {}, copied: (text?: string) => void copied.push(text) },
    target: { picture: new Picture(64, 64), start() {}, ...target },
    mayUse,
    keepsText: () => false,
    ...more,
  } as unknown as DesktopSessionParts)
  return { live, copied, marks }
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

test('text that is pasted while a right is checked waits as one text, the newest, in its turn', async () => {
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

test('the recording has of a clipboard how much it was; what, where that is kept, and never of what was refused', async () => {
  const copyOf = async (keepsText: boolean, may: boolean) => {
    let copy: (text: string) => void = () => {}
    const start = (listener: { copied(text: string): void }) => void (copy = listener.copied)
    const { marks } = aSession({ start }, async () => may, { keepsText: () => keepsText })
    copy('p'.repeat(2000))
    await expect.poll(() => marks.length).toBeGreaterThan(0)
    return marks[0]
  }
  expect(await copyOf(false, true)).toEqual({ kind: 'copy', characters: 2000 })
  expect(await copyOf(true, true)).toEqual({ kind: 'copy', characters: 2000, text: 'p'.repeat(1000) })
  expect(await copyOf(true, false)).toEqual({ kind: 'copy', characters: 2000, refused: true })
})

test('idle time ends with a key, the pointer or a paste, and with nothing that the machine or a watcher does', async () => {
  let clock = 0
  let machine: DesktopListener | undefined
  const target = {
    ...{ canResize: true, key() {}, pointer() {}, paste() {}, resize() {} },
    start: (listener: DesktopListener) => void (machine = listener),
  }
  const { live } = aSession(target, undefined, { elapsed: () => ++clock })
  const isActive = (work: () => void) => {
    const before = live.lastActive
    work()
    return live.lastActive > before
  }
  expect(isActive(() => machine?.changed())).toBe(false)
  expect(isActive(() => machine?.copied('text'))).toBe(false)
  expect(isActive(() => live.resize({ width: 800, height: 600 }))).toBe(false)
  expect(isActive(() => live.key(true, 1, 'a guest without the keys'))).toBe(false)
  expect(isActive(() => live.key(true, 1))).toBe(true)
  expect(isActive(() => live.pointer(0, 1, 1))).toBe(true)
  expect(isActive(() => live.paste('text'))).toBe(true)
})

test('however often a machine copies while a right is asked for, it is asked for the first text and the newest', async () => {
  let copy: (text: string) => void = () => {}
  const asked: (() => void)[] = []
  const { copied } = aSession(
    { start: (listener: { copied(text: string): void }) => void (copy = listener.copied) },
    () => new Promise((resolve) => asked.push(() => resolve(true))),
  )
  for (let n = 0; n < 10_000; n++) copy(`text ${n}`)
  expect(asked.length).toBe(1)
  asked[0]?.()
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.()
  await expect.poll(() => copied).toEqual(['text 0', 'text 9999'])
  copy('one more')
  expect(asked.length).toBe(3)
})

test('content that goes neither as text nor as a file is reported once, with the types that do go', () => {
  const wordsOf = (files: object | undefined) => {
    let listener: DesktopListener | undefined
    const notices: string[] = []
    const owner = {
      changed() {},
      bell() {},
      copied() {},
      tell: ({ text }: { text: string }) => void notices.push(text),
    }
    aSession({ start: (one: DesktopListener) => void (listener = one) }, undefined, {
      ...({ owner, files } as object),
    })
    listener?.copiedOther?.()
    listener?.copiedOther?.()
    return notices
  }
  expect(wordsOf(undefined)).toEqual(['Only text copied on this desktop goes to you'])
  expect(wordsOf({ may: async () => ({}) })).toEqual(['Only text and files copied on this desktop go to you'])
})

test('text that a machine has no keys for goes by its clipboard, as one text and in its turn, where its person may paste', async () => {
  const did: string[] = []
  const notices: string[] = []
  const asked: ((may: boolean) => void)[] = []
  const pasted: (() => void)[] = []
  const owner = { changed() {}, bell() {}, copied() {}, tell: ({ text }: { text: string }) => void notices.push(text) }
  const { live } = aSession(
    {
      characterByClipboard: (keysym: number) => (keysym > 255 ? String.fromCodePoint(keysym) : undefined),
      key: (isDown: boolean, keysym: number) => void (isDown && did.push(`key ${keysym}`)),
      type: (text: string) =>
        new Promise((resolve) => {
          did.push(text)
          pasted.push(() => resolve('taken'))
        }),
    },
    () => new Promise((resolve) => asked.push(resolve)),
    { owner } as object,
  )
  const type = (text: string, by?: string) => {
    for (const character of text)
      for (const isDown of [true, false]) live.key(isDown, character.codePointAt(0) as number, by)
  }
  type('你好，')
  type('世界')
  live.key(true, 13)
  type('好')
  asked.shift()?.(true)
  await expect.poll(() => did).toEqual(['你好，世界'])
  pasted.shift()?.()
  await expect.poll(() => asked.length).toBe(1)
  expect(did).toEqual(['你好，世界', 'key 13'])
  // No right any more: said once, and what is behind goes on.
  asked.shift()?.(false)
  await expect.poll(() => notices).toHaveLength(1)
  type('好')
  live.key(true, 14)
  asked.shift()?.(false)
  await expect.poll(() => did.at(-1)).toBe('key 14')
  expect(notices).toEqual([
    'What this machine has no keys for reaches it by its clipboard alone, which needs the permission to paste. It was left out.',
  ])
  // A guest has no clipboard, and nobody is asked.
  live.handOver({ id: 'guest', user: 'Guest' })
  type('好', 'guest')
  live.key(true, 15, 'guest')
  await expect.poll(() => did.at(-1)).toBe('key 15')
  expect([asked, did]).toEqual([[], ['你好，世界', 'key 13', 'key 14', 'key 15']])
  type('好', 'guest')
  await expect.poll(() => notices.at(-1)).toMatch(/, which guests do not have/)
  expect(notices.filter((text) => /guests/.test(text))).toHaveLength(1)
})

const HAN = '你'.codePointAt(0) as number
/** A machine that takes what is beyond Latin-1 by its clipboard; what it did, in order. */
function aTypist(typed: (mayPress: () => boolean) => Promise<Typed>) {
  const did: string[] = []
  const notices: string[] = []
  const owner = { changed() {}, bell() {}, copied() {}, tell: ({ text }: { text: string }) => void notices.push(text) }
  const { live, marks } = aSession(
    {
      characterByClipboard: (keysym: number) => (keysym > 255 && keysym < 0xff00 ? 'x' : undefined),
      key: (isDown: boolean, keysym: number) => void did.push(`${isDown ? 'down' : 'up'} ${keysym}`),
      pointer: (...at: number[]) => void did.push(`at ${at}`),
      type: (_text: string, mayPress: () => boolean) => {
        did.push('typed')
        return typed(mayPress)
      },
    },
    undefined,
    { owner } as object,
  )
  const settled = async (what: string) => expect.poll(() => did.at(-1)).toBe(what)
  return { live, did, notices, marks, settled }
}

test('a key with Control, Alt or Super is a command, which is not typed by the clipboard, also while it waits', async () => {
  const { live, did, settled } = aTypist(async () => 'taken')
  const CONTROL = 0xffe3
  live.key(true, HAN)
  live.key(true, CONTROL)
  // That goes up later than what went down before it.
  live.key(false, HAN)
  live.key(true, HAN)
  live.key(false, CONTROL)
  live.key(false, HAN)
  live.key(true, HAN)
  live.key(true, 13)
  await settled('down 13')
  expect(did).toEqual(['typed', `down ${CONTROL}`, `down ${HAN}`, `up ${CONTROL}`, `up ${HAN}`, 'typed', 'down 13'])
})

test('the outcome of text that went by the clipboard is reported once, not for each text', async () => {
  const answers: Typed[] = ['left', 'left', 'unsure', 'lost', 'unsure', 'taken', 'left', 'lost', 'stopped']
  const { live, notices, marks, settled } = aTypist(async () => answers.shift() as Typed)
  for (let key = 1; answers.length; key++) {
    live.key(true, HAN)
    live.key(true, key)
    await settled(`down ${key}`)
  }
  expect(notices.map((text) => /on its clipboard|neither keys|did not take/.exec(text)?.[0])).toEqual([
    ...['on its clipboard', 'neither keys', 'did not take'],
    // A program took something meanwhile.
    'on its clipboard',
  ])
  expect(marks.filter(({ kind }) => kind === 'notice')).toHaveLength(4)
})

test('keys that paste are not pressed once somebody else has the keys, or the session is locked', async () => {
  const asked: (() => boolean)[] = []
  let done = () => {}
  const { live } = aTypist(
    (mayPress) =>
      new Promise((resolve) => {
        asked.push(mayPress)
        done = () => resolve('stopped')
      }),
  )
  live.key(true, HAN)
  await expect.poll(() => asked.length).toBe(1)
  expect(asked[0]?.()).toBe(true)
  live.handOver({ id: 'guest', user: 'Guest' })
  expect(asked[0]?.()).toBe(false)
  done()
})

test('however much is done while a text is typed, the newest place of the pointer waits, and what was pressed is let go', async () => {
  let done = () => {}
  const { live, did, settled } = aTypist(
    () =>
      new Promise((resolve) => {
        done = () => resolve('taken')
      }),
  )
  live.key(true, 1)
  live.pointer(1, 0, 0)
  live.key(true, HAN)
  await settled('typed')
  for (let n = 0; n < 5000; n++) live.pointer(1, n % 60, 1)
  live.pointer(1, 7, 7)
  for (let n = 0; n < 5000; n++) live.key(true, 2)
  live.key(true, 3)
  live.key(false, 1)
  live.pointer(0, 8, 8)
  done()
  await settled('at 0,8,8')
  expect([did.filter((one) => one.startsWith('at ')), did.at(-2), did.includes('down 3')]).toEqual([
    ['at 1,0,0', 'at 1,7,7', 'at 0,8,8'],
    'up 1',
    false,
  ])
})

test('a machine that fails while a text is typed makes nothing behind it wait, and ends nothing', async () => {
  const { live, settled } = aTypist(() => Promise.reject(new Error('broken')))
  live.key(true, HAN)
  live.key(true, 13)
  await settled('down 13')
})
