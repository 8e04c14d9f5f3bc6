import { cleanup, fireEvent, screen as page, render, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FeedbackDialogs } from '../../design/dialogs/FeedbackDialogs.tsx'
import type { Found } from './find.ts'
import { webAddress } from './links.ts'
import { isDangerous, shownText } from './paste.tsx'
import { readPreferences } from './preferences.ts'
import { openScreen, type Screen } from './screen.ts'

let screen: Screen | undefined
beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addListener() {},
    removeListener() {},
    addEventListener() {},
    removeEventListener() {},
  }))
})
afterEach(() => {
  screen?.dispose()
  cleanup()
})

/** The emulator's answer when it has come so far: the place of its cursor. */
async function cursorAfter(output: string): Promise<string> {
  const box = document.createElement('div')
  document.body.append(box)
  const answered = Promise.withResolvers<string>()
  screen = openScreen(box, readPreferences(), {
    onInput: (bytes) => answered.resolve(new TextDecoder().decode(bytes)),
    onResize() {},
  })
  screen.write(`${output}\x1b[6n`)
  return answered.promise
}

test('a sequence that repeats something absurdly often is dropped, and does not freeze the tab', async () => {
  // Repeats the last letter: all of them would take minutes, and wrap many times.
  expect(await cursorAfter('ab\x1b[2147483647b')).toBe('\x1b[1;3R')
})

test('a program that repeats as often as a line is long gets what it asks for', async () => {
  expect(await cursorAfter('ab\x1b[10b')).toBe('\x1b[1;13R')
})

test('[A2.67] Ctrl+F6 leads from a terminal to its tab', () => {
  document.body.innerHTML =
    '<div class="wt-tabs"><button role="tab" aria-selected="true">web-1</button></div><div id="box"></div>'
  const box = document.getElementById('box') as HTMLDivElement
  screen = openScreen(box, readPreferences(), { onInput() {}, onResize() {} })
  screen.focus()
  const typedInto = box.querySelector('textarea')
  expect(document.activeElement).toBe(typedInto)
  typedInto?.dispatchEvent(new KeyboardEvent('keydown', { key: 'F6', ctrlKey: true, bubbles: true, cancelable: true }))
  expect(document.activeElement?.textContent).toBe('web-1')
})

test('a text is found in what was scrolled away, with the number of places and which of them is chosen', async () => {
  const box = document.createElement('div')
  document.body.append(box)
  const drawn = Promise.withResolvers<void>()
  screen = openScreen(box, readPreferences(), { onInput: () => drawn.resolve(), onResize() {} })
  screen.write(Array.from({ length: 200 }, (_, n) => `line ${n} ${n % 50 === 0 ? 'Needle' : 'hay'}\r\n`).join(''))
  // The emulator answers when it has come so far.
  screen.write('needle\r\n\x1b[6n')
  await drawn.promise
  const found = vi.fn<(found: Found) => void>()
  screen.find.onFound(found)
  screen.find.next({ text: 'needle', isCaseSensitive: false })
  expect(found.mock.lastCall?.[0]).toEqual({ at: expect.any(Number), count: 5 })
  screen.find.next({ text: 'Needle', isCaseSensitive: true })
  expect(found.mock.lastCall?.[0].count).toBe(4)
  screen.find.previous({ text: 'needle', isCaseSensitive: false })
  const at = Number(found.mock.lastCall?.[0].at)
  screen.find.next({ text: 'needle', isCaseSensitive: false })
  expect(found.mock.lastCall?.[0].at).toBe((at % 5) + 1)
})

test('only addresses of the web are links', () => {
  expect(webAddress('https://example.com/a?b=c')).toBe('https://example.com/a?b=c')
  expect(webAddress('HTTP://example.com')).toBe('http://example.com/')
  for (const other of ['javascript:alert(1)', 'file:///etc/passwd', 'ssh://a@b', 'data:text/html,x', 'no address'])
    expect(webAddress(other)).toBeUndefined()
})

test('a text that the machine would run at once is asked about; one line, and lines that stay one text, are not', () => {
  expect(isDangerous('uptime', false)).toBe(false)
  expect(isDangerous('rm -rf x\n', false)).toBe(true)
  expect(isDangerous('a\r\nb', true)).toBe(false)
  expect(isDangerous('a\x1b[200~b', true)).toBe(true)
  expect(shownText('a\x1bb\nc\n')).toBe('a␛b\nc')
})

test('a pasted text with line breaks reaches the machine only when somebody has agreed, byte by byte', async () => {
  const box = document.createElement('div')
  document.body.append(box)
  const sent: string[] = []
  render(<FeedbackDialogs />)
  screen = openScreen(box, readPreferences(), {
    onInput: (bytes) => sent.push(new TextDecoder().decode(bytes)),
    onResize() {},
  })
  const paste = (text: string) => {
    const event = new Event('paste', { bubbles: true, cancelable: true })
    Object.assign(event, { clipboardData: { getData: () => text, types: ['text/plain'] } })
    box.querySelector('textarea')?.dispatchEvent(event)
  }
  paste('echo ü')
  await vi.waitFor(() => expect(sent).toEqual(['echo ü']))
  paste('first\nsecond\n')
  const dialog = within(await page.findByRole('alertdialog'))
  expect(dialog.getByText(/first\s+second/)).toBeTruthy()
  fireEvent.click((await page.findAllByRole('button', { name: 'Paste' })).at(-1) as HTMLElement)
  await vi.waitFor(() => expect(sent).toEqual(['echo ü', 'first\rsecond\r']))
  paste('refused\nlines\n')
  await page.findByText(/refused\s+lines/)
  fireEvent.click((await page.findAllByRole('button', { name: 'Cancel' })).at(-1) as HTMLElement)
  paste('last')
  await vi.waitFor(() => expect(sent).toEqual(['echo ü', 'first\rsecond\r', 'last']))
})
