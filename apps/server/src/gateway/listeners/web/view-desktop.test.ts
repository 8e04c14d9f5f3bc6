import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { DesktopSession } from '../../kinds/desktop/desktop-session.ts'
import { Picture } from '../../kinds/desktop/picture/picture.ts'
import { seen, viewerStart } from '../../protocols/rfb/viewer-fixture.ts'
import { TerminalSocket } from './terminal-socket.ts'
import { viewDesktop } from './view-desktop.ts'

const MB = 1024 * 1024
const closing: (() => unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closing.splice(0).reverse()) await close()
})

/** A page that looks at a picture, and the gateway's end of its line. */
async function aPage(picture: Picture) {
  const gateway = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  closing.push(() => new Promise((closed) => gateway.close(closed)))
  await once(gateway, 'listening')
  const page = new WebSocket(`ws://127.0.0.1:${(gateway.address() as AddressInfo).port}`)
  closing.push(() => page.terminate())
  const shown: Buffer[] = []
  page.on('message', (bytes: Buffer, isBinary) => isBinary && shown.push(bytes))
  const [[socket]] = (await Promise.all([once(gateway, 'connection'), once(page, 'open')])) as [[WebSocket], unknown]
  const line = new TerminalSocket(socket as never)
  closing.push(() => socket.terminate())
  const live = { name: 'x', isLocked: false, picture, canResize: false } as DesktopSession
  const viewer = viewDesktop({ line, say: (text) => text }, live)
  return { page, shown, socket, line, viewer }
}

/** A picture that can't be compressed. */
function noise(): Picture {
  const picture = new Picture(1024, 768)
  let state = 1
  for (let at = 0; at < picture.pixels.length; at++) {
    state = Math.imul(state, 1664525) + 1013904223
    picture.pixels[at] = (state >>> 8) & 0xffffff
  }
  return picture
}

test('a page that asks for pictures and reads none fills no memory, and has the newest once it reads', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const picture = noise()
  const { page, shown, socket, viewer } = await aPage(picture)
  page.pause()
  viewer.receive(viewerStart(1))
  let most = 0
  for (let n = 0; n < 20; n++) {
    // All of it once more.
    viewer.receive(Buffer.from([3, 0, 0, 0, 0, 0, 4, 0, 3, 0]))
    vi.runOnlyPendingTimers()
    most = Math.max(most, socket.bufferedAmount)
  }
  expect(most / MB).toBeGreaterThan(1)
  expect(most / MB).toBeLessThan(4)
  picture.fill({ x: 1000, y: 700, width: 24, height: 68 }, 0x63)
  picture.touch({ x: 1000, y: 700, width: 24, height: 68 })
  page.resume()
  await expect
    .poll(() => {
      vi.runOnlyPendingTimers()
      return seen(Buffer.concat(shown))?.at(1023, 767)
    })
    .toBe('630000')
})

test('a page that has words said over and over and reads none is left', async () => {
  const { page, socket, line } = await aPage(new Picture(64, 64))
  page.pause()
  let requests = 0
  while (socket.readyState === socket.OPEN && requests < 100) {
    line.send('DESKTOP_CLIPBOARD', { text: 'x'.repeat(MB) })
    requests++
  }
  expect(requests).toBeGreaterThan(20)
  expect(requests).toBeLessThan(60)
  expect(line.gone.aborted || socket.readyState !== socket.OPEN).toBe(true)
})
