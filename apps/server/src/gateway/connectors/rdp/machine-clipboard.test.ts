import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ClipboardPeer } from '../../protocols/rdp/clipboard-peer-fixture.ts'
import { Keyboard } from '../../protocols/rdp/keyboard.ts'
import { MachineClipboard } from './machine-clipboard.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A machine on Unix whose clipboard is at hand; `pastes`: a program there fetches what is pasted. */
function machine({ pastes = true, watches = false } = {}) {
  const copied: string[] = []
  const pasted: (string | undefined)[] = []
  const state = { pastes }
  const keyboard = new Keyboard(true)
  const clipboard = new MachineClipboard({
    send(pieces) {
      for (const piece of pieces) peer.take(piece)
    },
    room: () => undefined,
    keyboard,
    press: () => void (state.pastes ? peer.text().then((text) => pasted.push(text)) : pasted.push('no program')),
    listener: () => ({ changed() {}, copied: (text) => void copied.push(text), bell() {}, end() {} }),
    takesFiles: false,
    isUnix: true,
  })
  // Nothing is answered before all is said, as on a connection.
  const peer: ClipboardPeer = new ClipboardPeer((piece) => queueMicrotask(() => clipboard.receive(piece)))
  peer.watches = watches
  peer.begin()
  const type = (text: string, mayPress = () => true) => clipboard.type(text, mayPress)
  /** So long as nothing waits but what has no time of its own. */
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
  return { clipboard, peer, keyboard, copied, pasted, state, type, pass }
}

test('where nothing was on a clipboard before, nothing of what was typed by it can be pasted afterwards', async () => {
  const { type, pass, pasted, peer } = machine()
  await pass(0)
  const typed = type('密码')
  await pass(100)
  expect([await typed, pasted]).toEqual(['taken', ['密码']])
  await pass(1000)
  expect([await peer.text(), [...peer.offered]]).toEqual([undefined, []])
})

test('where something on the machine keeps all that comes on its clipboard, nobody claims that a program took it', async () => {
  const { type, pass, peer, clipboard, pasted } = machine({ pastes: false, watches: true })
  await pass(0)
  const typed = type('你好')
  await pass(300)
  expect(await typed).toBe('unseen')
  // The person pastes by themselves: nothing is pressed, which a terminal would take for a command of its own.
  Object.assign(peer, { watches: false })
  Object.assign(clipboard, { keys: 'none' })
  const left = type('世界')
  await pass(100)
  expect([await left, await peer.text(), pasted]).toEqual(['left', '世界', ['no program']])
})

test('text that was typed or given back, and taken over by a program on the machine, was copied by nobody', async () => {
  const { type, pass, copied, peer, keyboard, clipboard } = machine()
  await pass(0)
  peer.copyText('was there')
  await pass(0)
  const typed = type('你好\n世界')
  await pass(100)
  await typed
  peer.copyText('你好\n世界')
  await pass(0)
  expect(copied).toEqual(['was there'])
  // It is given back all the same.
  await pass(1000)
  expect(await peer.text()).toBe('was there')
  peer.copyText('was there')
  await pass(0)
  expect(copied).toEqual(['was there'])
  // Ctrl+C copies it.
  keyboard.key(true, 0xffe3)
  clipboard.pressed(false)
  peer.copyText('你好\n世界')
  await pass(0)
  expect(copied).toEqual(['was there', '你好\n世界'])
})

test('a copy made on the machine meanwhile stays on its clipboard, be it nothing that goes through', async () => {
  const { type, pass, peer, copied } = machine()
  await pass(0)
  peer.copyText('was there')
  await pass(0)
  const typed = type('你')
  await pass(100)
  await typed
  peer.formats([8, ''])
  await pass(3000)
  expect([...peer.offered.keys()]).toEqual(['13'])
  expect(await peer.text()).toBe('你')
  // The earlier content is not known any more, and not pasted.
  const again = type('好')
  await pass(100)
  await again
  await pass(1000)
  expect([[...peer.offered], copied]).toEqual([[], ['was there']])
})

test('a machine that does not take a text is not asked to paste its old content instead, and gets that back', async () => {
  const { type, pass, peer, pasted, clipboard } = machine()
  await pass(0)
  void clipboard.paste('was there')
  await pass(0)
  peer.takesNothing = true
  const typed = type('你')
  await pass(1000)
  expect([await typed, pasted, await peer.text()]).toEqual(['lost', [], 'was there'])
})

test('nothing is pasted once its person may not any more, and the clipboard has what it had', async () => {
  const { type, pass, peer, pasted, clipboard } = machine()
  await pass(0)
  void clipboard.paste('was there')
  await pass(0)
  const typed = type('你', () => false)
  await pass(100)
  expect([await typed, pasted, await peer.text()]).toEqual(['stopped', [], 'was there'])
})

test('where no program takes what is typed, what is done next waits long once, until one takes something', async () => {
  const { type, pass, peer, state } = machine({ pastes: false })
  await pass(0)
  const lasts = async (text: string, ms: number) => {
    let typed: string | undefined
    void type(text).then((one) => {
      typed = one
    })
    await pass(ms - 1)
    expect(typed).toBe(undefined)
    await pass(1)
    return typed
  }
  expect([await lasts('你', 3000), await lasts('好', 300)]).toEqual(['left', 'left'])
  expect(await peer.text()).toBe('好')
  expect(await lasts('世', 3000)).toBe('left')
  state.pastes = true
  expect(await lasts('界', 100)).toBe('taken')
})

test('nothing of a clipboard that is closed waits any more', async () => {
  const { type, pass, clipboard } = machine({ pastes: false })
  await pass(0)
  const typed = type('你')
  await pass(10)
  expect(vi.getTimerCount()).toBe(1)
  clipboard.close()
  await pass(0)
  expect(vi.getTimerCount()).toBe(0)
  expect(await typed).toBe('lost')
})
