import { afterEach, beforeEach, expect, test, vi } from 'vitest'
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
afterEach(() => screen?.dispose())

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
