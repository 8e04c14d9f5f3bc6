import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { act, cleanup, createEvent, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { TokenPage } from '../../TokenPage.tsx'
import { DesktopPane } from './DesktopPane.tsx'

/** There is nothing to draw on here. */
const viewer = vi.hoisted(() => ({ setScaled: vi.fn(), focus: vi.fn() }))
vi.mock('./desktop-screen.ts', () => ({
  openDesktop: () => ({ ...viewer, receive() {}, setReadOnly() {}, showKeyboard() {}, press() {}, dispose() {} }),
}))

let gateway: WebSocketServer
beforeEach(async () => {
  gateway = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'JMS-KOKO' })
  await once(gateway, 'listening')
  vi.stubGlobal('location', new URL(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}/luna/`))
  // Node's own takes no events of this page.
  vi.stubGlobal('WebSocket', WebSocket)
  vi.stubGlobal('fetch', async () => Response.json([]))
  vi.stubGlobal('matchMedia', () =>
    Object.assign(new EventTarget(), { matches: false, addListener() {}, removeListener() {} }),
  )
  Object.assign(document, { fullscreenEnabled: true })
})
afterEach(() => {
  cleanup()
  for (const name of ['fullscreenEnabled', 'fullscreenElement']) Reflect.deleteProperty(document, name)
  vi.unstubAllGlobals()
  vi.clearAllMocks()
  for (const client of gateway.clients) client.terminate()
  gateway.close()
})

/** The gateway's end of the next line. */
async function nextLine() {
  const [peer, request] = (await once(gateway, 'connection')) as [WebSocket, { url: string }]
  const messages: { type: string; data: string }[] = []
  peer.on('message', (data: Buffer, isBinary: boolean) => isBinary || messages.push(JSON.parse(data.toString())))
  const say = (type: string, data: unknown = '') =>
    peer.send(JSON.stringify({ id: 'x', type, data: JSON.stringify(data) }))
  say('CONNECT', {})
  await vi.waitFor(() => expect(messages.map(({ type }) => type)).toContain('TERMINAL_INIT'))
  return { peer, messages, say, query: new URL(request.url, 'http://gateway').searchParams }
}

const session = { id: 's1', user: 'Ada(ada)', asset: 'Screen(10.0.0.1)' }

/** A desktop that is shown, with its other watchers. */
async function shown() {
  const coming = nextLine()
  const props = { target: { type: 'vnc', target_id: 'm1' }, attempt: 0, active: true, mayShare: true }
  render(<DesktopPane {...props} state="connected" watermark={undefined} onState={() => {}} onReconnect={() => {}} />)
  const line = await coming
  line.say('TERMINAL_SESSION', { session, reattach: 5 })
  line.say('DESKTOP_START', {})
  await screen.findByRole('button', { name: 'Clipboard' })
  await vi.waitFor(() => expect(viewer.focus).toHaveBeenCalled())
  return line
}

test('[A1.06] a desktop whose line breaks comes back as it was looked at, with what was being written and asked for', async () => {
  const line = await shown()
  line.say('DESKTOP_CONTROL', { id: 'guest' })
  await screen.findByLabelText('Someone else has control.')
  fireEvent.click(screen.getByRole('button', { name: 'Fit the window' }))
  fireEvent.click(screen.getByRole('button', { name: 'Share' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Create a link' }))
  await vi.waitFor(() => expect(line.messages.map(({ type }) => type)).toContain('TERMINAL_SHARE'))
  // Under the other dialog, which waits for its link.
  fireEvent.click(screen.getByRole('button', { name: 'Clipboard', hidden: true }))
  const field = await screen.findByRole('textbox', { name: 'Clipboard' })
  fireEvent.change(field, { target: { value: 'a long letter' } })
  viewer.setScaled.mockClear()
  viewer.focus.mockClear()

  const coming = nextLine()
  line.peer.terminate()
  await screen.findByText('Connection lost, trying again…')
  expect((screen.getByRole('textbox', { name: 'Clipboard' }) as HTMLTextAreaElement).value).toBe('a long letter')
  expect((screen.getByRole('button', { name: 'Send to the desktop' }) as HTMLButtonElement).disabled).toBe(true)
  expect(screen.queryByRole('navigation')).toBeNull()

  const back = await coming
  back.say('TERMINAL_SESSION', { session, resumed: true, received: 0, reattach: 5 })
  back.say('DESKTOP_START', {})
  await vi.waitFor(() => expect(viewer.setScaled).toHaveBeenCalledWith(false))
  await vi.waitFor(() => expect(back.messages.map(({ type }) => type)).toContain('TERMINAL_SHARE'))
  await waitFor(() => expect(screen.queryByText('Connection lost, trying again…')).toBeNull())
  expect(viewer.focus).not.toHaveBeenCalled()
  expect((screen.getByRole('textbox', { name: 'Clipboard' }) as HTMLTextAreaElement).value).toBe('a long letter')
  expect(screen.queryByLabelText('Someone else has control.')).toBeNull()
})

test('[A1.06] a dialog opened where the desktop fills the screen is seen there, and the button leads out', async () => {
  const line = await shown()
  const pane = screen.getByRole('region', { name: 'Desktop' })
  const fill = (element: Element | null) => {
    Object.assign(document, { fullscreenElement: element })
    act(() => void document.dispatchEvent(new Event('fullscreenchange')))
  }
  pane.requestFullscreen = vi.fn(async () => Promise.reject(new TypeError('not now')))
  const button = screen.getByRole('button', { name: 'Full screen' })
  fireEvent.click(button)
  expect(pane.requestFullscreen).toHaveBeenCalled()
  expect(button.getAttribute('aria-pressed')).toBe('false')

  fill(pane)
  expect(button.getAttribute('aria-pressed')).toBe('true')
  const users = Object.fromEntries(
    ['Ada', 'Bob'].map((user, n) => [
      user,
      { id: user, user, created: `2026-01-0${n + 1}T00:00:00Z`, remote_addr: '10.0.0.9', primary: n === 0 },
    ]),
  )
  line.say('TERMINAL_SHARE_USERS', users)
  fireEvent.click(await screen.findByRole('button', { name: 'People in this session' }))
  expect(await within(pane).findByText('Bob')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Files' }))
  expect(await within(pane).findByText('VNC carries no files.')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Share' }))
  expect(await within(pane).findByText('Create a link')).toBeTruthy()

  document.exitFullscreen = vi.fn(async () => {})
  fireEvent.click(button)
  expect(document.exitFullscreen).toHaveBeenCalled()
  fill(null)
  expect(button.getAttribute('aria-pressed')).toBe('false')
  Reflect.deleteProperty(document, 'exitFullscreen')
})

test('[A1.06] files that are dropped where none are taken do not open in place of the page: it says why', async () => {
  await shown()
  const pane = screen.getByRole('region', { name: 'Desktop' })
  const dataTransfer = { types: ['Files'], files: [new File(['x'], 'plan.txt')] }
  // False: the browser is kept from what it would do.
  expect(fireEvent.dragOver(pane, { dataTransfer })).toBe(false)
  expect(fireEvent.drop(pane, { dataTransfer })).toBe(false)
  expect(await screen.findByText('No files can be given to this machine now.')).toBeTruthy()
  expect(fireEvent.drop(pane, { dataTransfer: { types: ['text/plain'], files: [] } })).toBe(true)
})

test('[A1.06] files that are dropped or pasted are given to the machine, what is pasted by its clipboard, and where they hang over it, it says so', async () => {
  const listing = { may_upload: true, may_download: true, may_paste: true, bytes_left: 100, entries: [], copied: [] }
  vi.stubGlobal('fetch', async () => Response.json(listing))
  const sent: string[] = []
  vi.stubGlobal(
    'XMLHttpRequest',
    class {
      upload = {}
      status = 201
      responseText = '{"id":7}'
      onload = () => {}
      open(_method: string, address: string) {
        sent.push(new URL(address, 'http://gate').searchParams.get('name') ?? '')
      }
      setRequestHeader() {}
      // A dropped file stays on its way.
      send() {
        if (sent.at(-1) === 'shot.png') queueMicrotask(() => this.onload())
      }
      abort() {}
    },
  )
  const line = await shown()
  line.say('DESKTOP_FILES')
  const pane = screen.getByRole('region', { name: 'Desktop' })
  const dataTransfer = { types: ['Files'], files: [new File(['x'], 'plan.txt')] }
  const words = 'Drop files here to give them to the machine'
  // Known once the gateway has said what may be done.
  await vi.waitFor(() => {
    fireEvent.dragOver(pane, { dataTransfer })
    expect(screen.getByText(words)).toBeTruthy()
  })
  const leave = (relatedTarget: Element) =>
    fireEvent(pane, Object.assign(createEvent.dragLeave(pane), { relatedTarget }))
  leave(screen.getByText(words))
  expect(screen.getByText(words)).toBeTruthy()
  leave(document.body)
  expect(screen.queryByText(words)).toBeNull()
  fireEvent.drop(pane, { dataTransfer })
  expect(await screen.findByRole('progressbar', { name: 'Uploading plan.txt' })).toBeTruthy()
  expect(sent).toEqual(['plan.txt'])

  const keys = document.createElement('textarea')
  keys.className = 'wt-desktop-keys'
  pane.append(keys)
  keys.focus()
  const clipboardData = { getData: () => '', files: [new File(['y'], 'shot.png')], items: [] }
  fireEvent.paste(keys, { clipboardData })
  expect(await screen.findByText('1 file is on the clipboard of the machine: paste there with Ctrl+V.')).toBeTruthy()
  await vi.waitFor(() => {
    const { data } = line.messages.find(({ type }) => type === 'DESKTOP_CLIPBOARD') ?? {}
    expect(data && JSON.parse(data)).toEqual({ files: [7] })
  })
})

test('[A1.06] a token that turns out to be for a desktop opens it, and nothing says that it was lost', async () => {
  const coming = nextLine()
  render(<TokenPage token="t1" settings={{} as never} />)
  const first = await coming
  const following = nextLine()
  first.say('DESKTOP_VIEW')
  first.say('CLOSE')
  const { query } = await following
  expect(query.get('view')).toBe('desktop')
  expect(screen.queryByText('Not connected')).toBeNull()
  expect(screen.queryByRole('button', { name: 'Reconnect' })).toBeNull()
})

test('where the gateway offers a choice, the person says by which keys a program on the desktop pastes', async () => {
  const line = await shown()
  expect(screen.queryByRole('button', { name: 'Paste keys' })).toBeNull()
  line.say('DESKTOP_START', { paste_keys: 'ctrl_v' })
  fireEvent.click(await screen.findByRole('button', { name: 'Paste keys' }))
  fireEvent.click(await screen.findByText(/Ctrl\+Shift\+V/))
  await vi.waitFor(() =>
    expect(
      line.messages.filter(({ type }) => type === 'DESKTOP_PASTE_KEYS').map(({ data }) => JSON.parse(data)),
    ).toEqual([{ keys: 'ctrl_shift_v' }]),
  )
})
