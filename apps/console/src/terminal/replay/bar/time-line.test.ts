import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { timeLine } from './time-line.ts'

const SECONDS = 100

beforeEach(() => {
  vi.useFakeTimers()
  // One dot for a second.
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue({ left: 0, width: SECONDS } as DOMRect)
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('[A1.06] a picture is asked for where the pointer rests, is gone elsewhere, and asked for again if it failed', async () => {
  const picture = { width: 240, height: 135 } as ImageBitmap
  const at = vi.fn(async (seconds: number): Promise<ImageBitmap | undefined> => (seconds < 90 ? picture : undefined))
  const numberAt = (seconds: number) => Math.floor(seconds / 10)
  const { element } = timeLine('Position', SECONDS, () => {}, { numberAt, at })
  const small = element.querySelector('canvas') as HTMLCanvasElement
  const point = (clientX: number) => element.dispatchEvent(new MouseEvent('pointermove', { clientX }))
  const rest = () => vi.advanceTimersByTimeAsync(1000)

  for (let x = 0; x <= 55; x += 5) point(x)
  expect(at).not.toHaveBeenCalled()
  await rest()
  const asked = () => at.mock.calls.map(([seconds]) => Math.round(seconds))
  expect(asked()).toEqual([55])
  expect(small.hidden).toBe(false)
  point(58)
  await rest()
  expect(at).toHaveBeenCalledTimes(1)
  expect(small.hidden).toBe(false)

  point(95)
  expect(small.hidden).toBe(true)
  await rest()
  expect(small.hidden).toBe(true)
  point(96)
  await rest()
  expect(asked()).toEqual([55, 95, 96])
  point(15)
  element.dispatchEvent(new MouseEvent('pointerleave'))
  await rest()
  expect(at).toHaveBeenCalledTimes(3)
})

test('[A1.06] what happened at a moment is read inside of the player, also where the line is narrower than the words', () => {
  const { element } = timeLine('Position', SECONDS, () => {})
  const player = document.createElement('div')
  player.className = 'rp'
  player.append(element)
  const at = (box: Element, left: number, width: number) =>
    Object.assign(box, { getBoundingClientRect: () => ({ left, width }) })
  at(player, 0, 390)
  for (const box of [element, element.firstElementChild as Element]) at(box, 180, 200)
  const tip = element.querySelector('.rp-tip') as HTMLElement
  vi.spyOn(tip, 'offsetWidth', 'get').mockReturnValue(300)
  const middleAt = (clientX: number) => {
    element.dispatchEvent(new MouseEvent('pointermove', { clientX }))
    return 180 + Number.parseFloat(tip.style.left)
  }
  expect([middleAt(190), middleAt(370)]).toEqual([190, 240])
})
