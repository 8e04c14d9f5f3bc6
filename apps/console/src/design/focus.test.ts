import { beforeEach, expect, test } from 'vitest'
import { keepFocusOfWaiting, rememberFocus } from './focus.ts'

beforeEach(() => {
  const row = (name: string) => `<tr><td><a href="#${name}">${name}</a></td><td><button>${name}</button></td></tr>`
  document.body.innerHTML = `<main><h1 tabindex="-1">Rows</h1><table><tbody>${['a', 'b', 'c'].map(row).join('')}</tbody></table></main>`
})

const buttons = () => [...document.querySelectorAll('button')]
/** Presses the button of a row, after which the row is gone. */
function deleteRow(at: number): void {
  buttons()[at]?.focus()
  const returnFocus = rememberFocus()
  document.querySelectorAll('tbody tr')[at]?.remove()
  returnFocus()
}

test('after a row is deleted by the keyboard, the one in its place has the focus, in the same column', () => {
  deleteRow(1)
  expect(document.activeElement).toBe(buttons().find(({ textContent }) => textContent === 'c'))
  deleteRow(1)
  expect(document.activeElement).toBe(buttons().find(({ textContent }) => textContent === 'a'))
})

test('after the last row, or all of the page, the heading has it; what still has the focus keeps it', () => {
  deleteRow(0)
  deleteRow(0)
  deleteRow(0)
  expect(document.activeElement).toBe(document.querySelector('h1'))
  const elsewhere = document.querySelector('main')?.appendChild(document.createElement('input'))
  const returnFocus = rememberFocus()
  elsewhere?.focus()
  returnFocus()
  expect(document.activeElement).toBe(elsewhere)
})

test('a button that was disabled while it waited has the focus again, unless the person has gone on', async () => {
  keepFocusOfWaiting()
  const reported = () => new Promise((resolve) => queueMicrotask(() => resolve(undefined)))
  const [save, other] = buttons()
  const press = async () => {
    save?.focus()
    save?.toggleAttribute('disabled', true)
    await reported()
    // As browsers do, but for jsdom, which lets nobody take the focus from what is disabled.
    other?.focus()
    other?.blur()
  }
  await press()
  save?.toggleAttribute('disabled', false)
  await reported()
  expect(document.activeElement).toBe(save)
  await press()
  other?.focus()
  save?.toggleAttribute('disabled', false)
  await reported()
  expect(document.activeElement).toBe(other)
})
