import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPlayer, type Player } from './player.ts'
import type { Recording } from './recording.ts'

/** A line each second, on a screen that only notes what was written. */
const RECORDING: Recording = {
  start: 0,
  duration: 60,
  parts: [{ time: 0, cols: 80, rows: 24 }],
  piece: async () => Array.from({ length: 60 }, (_, n) => ({ time: n + 1, code: 'o', data: `${n + 1};` })),
  screen: async () => '',
  openStage: () => ({ reset() {}, write() {}, resize() {}, backlog: () => 0, fit() {}, dispose() {} }),
}

let box: HTMLElement
let player: Player
const onSearch = vi.fn()
beforeEach(async () => {
  // The clock stands still: only keys and buttons move.
  vi.stubGlobal('requestAnimationFrame', () => 0)
  box = document.createElement('div')
  document.body.append(box)
  player = openPlayer(box, RECORDING, { onSearch })
  player.mark([
    { time: 10, label: 'uptime', isDangerous: false },
    { time: 20, label: 'rm -rf /', isDangerous: true },
    { time: 30, label: 'File to the desktop: a.txt', isDangerous: false, isFile: true },
    { time: 40, label: '3 keys pressed', isDangerous: false, keys: 3 },
  ])
  await vi.waitFor(() => expect(box.querySelector('.rp')?.getAttribute('data-state')).toBe('playing'))
})
afterEach(() => {
  player.dispose()
  box.remove()
  vi.unstubAllGlobals()
})

const button = (name: string) => box.querySelector<HTMLButtonElement>(`button[aria-label="${name}"]`)
const time = () => box.querySelector('.rp-time')?.textContent?.split(' / ')[0]
const press = (key: string) =>
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))

test('all that the player can do is in one bar, each with a name for who hears it', () => {
  const names = [...box.querySelectorAll('.rp-bar button')].map((one) => one.getAttribute('aria-label'))
  expect(names).toEqual([...['Pause', 'Speed 2x', 'Skip idle time', 'Search', 'Keys of the player', 'Full screen']])
  button('Search')?.click()
  expect(onSearch).toHaveBeenCalledOnce()
})

test('the speed is chosen in a menu, by keys too; Escape leaves it as it is', async () => {
  await userEvent.click(button('Speed 2x') as HTMLElement)
  const checked = () => box.querySelector('[role=menuitemradio][aria-checked=true]')?.textContent
  expect([checked(), document.activeElement?.textContent]).toEqual(['2x', '2x'])
  await userEvent.keyboard('{ArrowDown}{Enter}')
  expect(button('Speed 4x')).toBe(document.activeElement)
  await userEvent.keyboard('{Enter}{ArrowDown}{Escape}')
  expect(button('Speed 4x')).toBe(document.activeElement)
})

test('commands, flagged ones and files are told apart on the time line', () => {
  const kinds = [...box.querySelectorAll('.rp-ticks > i')].map(({ className }) => className)
  expect(kinds).toEqual(['rp-tick', 'rp-tick rp-tick-danger', 'rp-tick rp-tick-file', 'rp-tick rp-tick-keys'])
})

test('keys go on by five seconds, by one change, and from event to event; a list names them all', async () => {
  press(' ')
  expect(button('Play')).not.toBeNull()
  press('ArrowRight')
  expect(time()).toBe('00:05')
  press('.')
  press('.')
  expect(time()).toBe('00:07')
  await vi.waitFor(() => expect(box.querySelector('.rp')?.getAttribute('data-state')).toBe('paused'))
  press(',')
  expect(time()).toBe('00:06')
  press('m')
  press('m')
  expect(time()).toBe('00:20')
  press('M')
  expect(time()).toBe('00:10')
  press('i')
  expect(button('Skip idle time')?.getAttribute('aria-pressed')).toBe('false')
  press('?')
  const list = box.querySelector('[role=dialog]') as HTMLElement
  expect(list.hidden).toBe(false)
  const listed = [...list.querySelectorAll('kbd')].map(({ textContent }) => textContent)
  expect(listed).toEqual(expect.arrayContaining(['Space', '←', '→', ',', '.', 'm', 'M', '<', '>', 'f', '?', '/']))
  await userEvent.keyboard('{Escape}')
  expect([list.hidden, document.activeElement]).toEqual([true, button('Keys of the player')])
})
