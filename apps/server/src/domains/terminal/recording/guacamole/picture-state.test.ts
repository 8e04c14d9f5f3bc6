import { instructionsOf } from '@sallyport/contract/guacamole/instructions.ts'
import { expect, test } from 'vitest'
import { img, painted, png, say } from './guacamole-fixture.ts'
import { PictureState } from './picture-state.ts'

const SIDE = 24

/** Numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** Something that a machine may draw, on one of three buffers or the screen. */
function drawing(next: (below: number) => number): string {
  const [x, y, width, height] = [next(SIDE) - 2, next(SIDE) - 2, 1 + next(12), 1 + next(12)]
  const layer = next(3) ? 0 : -1 - next(3)
  switch (next(8)) {
    case 0:
      return img(layer, x, y, png(width, height, next(256), 128))
    case 1:
      return say('rect', layer, x, y, width, height) + say('cfill', 14, layer, next(256), 0, 0, 255)
    case 2:
      return say(
        'copy',
        layer,
        Math.max(x, 0),
        Math.max(y, 0),
        width,
        height,
        next(2) ? 12 : 14,
        0,
        next(SIDE),
        next(SIDE),
      )
    case 3:
      return say('copy', 0, Math.max(x, 0), Math.max(y, 0), width, height, 14, -1 - next(3), next(4), next(4))
    case 4:
      return next(4) ? '' : say('dispose', -1 - next(3))
    case 5:
      return next(4) ? '' : say('cursor', 1, 1, -1 - next(3), 0, 0, 8, 8)
    default:
      return img(layer, x, y, png(width, height, next(256)))
  }
}

function stateOf(text: string): PictureState {
  const state = new PictureState()
  const bytes = Buffer.from(text)
  for (const one of instructionsOf(bytes)) state.add(one, bytes.subarray(one.from, one.to))
  return state
}

test('at any moment what is kept paints the same picture as all that was drawn', () => {
  for (const seed of [1, 2, 3, 4]) {
    const next = numbers(seed)
    let text = say('size', 0, SIDE, SIDE)
    for (let moment = 0; moment < 10; moment++) {
      for (let n = 0; n < 40; n++) text += drawing(next)
      const state = stateOf(text)
      expect(state.isKnown).toBe(true)
      expect([seed, moment, painted(state.text().toString(), SIDE, SIDE)]).toEqual([
        seed,
        moment,
        painted(text, SIDE, SIDE),
      ])
    }
  }
})

test('a drawing that is covered is not kept, also where it was copied in between', () => {
  const whole = img(0, 0, 0, png(SIDE, SIDE, 9))
  const scrolled = Array.from({ length: 200 }, (_, n) =>
    [say('copy', 0, 0, 4, SIDE, SIDE - 4, 14, 0, 0, 0), img(0, 0, SIDE - 4, png(SIDE, 4, n % 200))].join(''),
  ).join('')
  const state = stateOf(
    say('size', 0, SIDE, SIDE) + scrolled + img(0, 0, 0, png(12, SIDE, 1)) + img(0, 12, 0, png(12, SIDE, 2)),
  )
  expect(state.text().length).toBeLessThan(1000)
  expect(
    stateOf(say('size', 0, SIDE, SIDE) + scrolled + whole)
      .text()
      .toString(),
  ).toBe(say('size', 0, SIDE, SIDE) + whole)
})

test('a window that scrolls for hours takes no more than what is seen of it', () => {
  let text = say('size', 0, SIDE, SIDE) + img(0, 0, 0, png(SIDE, SIDE, 9))
  for (let n = 0; n < 1000; n++)
    text += say('copy', 0, 0, 4, SIDE, SIDE - 4, 14, 0, 0, 0) + img(0, 0, SIDE - 4, png(SIDE, 4, n % 200))
  const state = stateOf(text)
  expect(painted(state.text().toString(), SIDE, SIDE)).toBe(painted(text, SIDE, SIDE))
  expect([...instructionsOf(state.text())].filter(({ opcode }) => opcode === 'img')).toHaveLength(SIDE / 4)
})

test('a screen that became smaller has lost the rest, also when it grows again', () => {
  const text = say('size', 0, SIDE, SIDE) + img(0, 0, 0, png(SIDE, SIDE, 9)) + say('size', 0, 8, 8)
  expect(stateOf(text).text().toString()).toContain('img')
  const inside = stateOf(`${text}${img(0, 0, 0, png(8, 8, 3))}${say('size', 0, SIDE, SIDE)}`)
  expect([...instructionsOf(inside.text())].filter(({ opcode }) => opcode === 'img')).toHaveLength(1)
})

test('a picture that takes too much is not known until all of it is drawn over', () => {
  const through = img(0, 0, 0, png(4, 4, 9, 128))
  const state = new PictureState()
  const add = (text: string) => {
    const bytes = Buffer.from(text)
    for (const one of instructionsOf(bytes)) state.add(one, bytes.subarray(one.from, one.to))
  }
  add(say('size', 0, SIDE, SIDE))
  for (let n = 0; n < 6000; n++) add(through)
  expect(state.isKnown).toBe(false)
  expect(state.neededBytes()).toBe(0)
  add(img(0, 0, 0, png(SIDE, SIDE / 2, 1)))
  expect(state.isKnown).toBe(false)
  add(img(0, 0, 0, png(SIDE, SIDE, 1)))
  expect(state.isKnown).toBe(true)
  // In the middle of an image nothing is known either.
  add(say('img', 1, 14, 0, 'image/png', 0, 0))
  expect(state.isKnown).toBe(false)
})
