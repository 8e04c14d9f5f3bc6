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

const through = img(0, 0, 0, png(4, 4, 9, 128))
/** A picture of more drawings than are kept. */
const tooMany = through.repeat(6000)

function adding(): { state: PictureState; add: (text: string) => boolean } {
  const state = new PictureState()
  const add = (text: string) => {
    const bytes = Buffer.from(text)
    for (const one of instructionsOf(bytes)) state.add(one, bytes.subarray(one.from, one.to))
    return state.isKnown
  }
  return { state, add }
}

test('a picture that takes too much is not known until all of it is drawn over', () => {
  const { state, add } = adding()
  expect(add(say('size', 0, SIDE, SIDE) + tooMany)).toBe(false)
  expect(state.neededBytes()).toBeLessThan(tooMany.length / 5)
  expect(add(img(0, 0, 0, png(SIDE, SIDE / 2, 1)))).toBe(false)
  expect(add(img(0, 0, SIDE / 2, png(SIDE, SIDE / 2, 1)))).toBe(true)
})

test('with the screen a buffer, a layer and the pointer are lost, until each is emptied or drawn again', () => {
  const whole = img(0, 0, 0, png(SIDE, SIDE, 1))
  const others = [
    img(-1, 0, 0, png(8, 8, 7)),
    say('size', 2, 8, 8) + img(2, 0, 0, png(8, 8, 7)),
    img(-3, 0, 0, png(8, 8, 7)) + say('cursor', 0, 0, -3, 0, 0, 8, 8) + say('dispose', -3),
  ]
  const again = [say('dispose', -1), img(2, 0, 0, png(8, 8, 6)), img(-3, 0, 0, png(8, 8, 7)) + others[2]]
  for (const [n, other] of others.entries()) {
    const { state, add } = adding()
    add(say('size', 0, SIDE, SIDE) + other)
    expect([n, add(tooMany), add(whole)]).toEqual([n, false, false])
    expect([n, add(again[n] as string)]).toEqual([n, true])
    expect(state.text().toString()).toContain(whole)
  }
  // A copy of what is lost is lost as well.
  const { add } = adding()
  add(say('size', 0, SIDE, SIDE) + img(-1, 0, 0, png(8, 8, 7)) + tooMany)
  add(say('copy', -1, 0, 0, 8, 8, 14, -2, 0, 0) + say('dispose', -1))
  expect(add(whole)).toBe(false)
  expect(add(say('dispose', -2))).toBe(true)
})

test('in the middle of an image or a path the picture has its beginning, and goes on', () => {
  const [one, two] = [img(0, 3, 3, png(9, 9, 3)), say('rect', 0, 1, 1, 5, 5) + say('cfill', 14, 0, 1, 2, 3, 255)]
  for (const whole of [one, two]) {
    const begin = say('size', 0, SIDE, SIDE) + whole.slice(0, whole.indexOf(';') + 1)
    const rest = whole.slice(whole.indexOf(';') + 1)
    const state = stateOf(begin)
    expect(state.isKnown).toBe(true)
    expect(painted(state.text().toString() + rest, SIDE, SIDE)).toBe(painted(begin + rest, SIDE, SIDE))
  }
  // Images without end: the latest ones are kept, as by the player.
  const endless = Array.from({ length: 500 }, (_, n) => say('img', n, 14, 0, 'image/png', 0, 0))
  expect(stateOf(endless.join('')).text().toString()).toBe(endless.slice(-64).join(''))
})

test('unfinished images, paths and properties take no more than the drawings together', () => {
  const long = 'x'.repeat(1024 * 1024)
  const image = (n: number) => say('img', n, 14, 0, 'image/png', 0, 0) + say('blob', n, long)
  const path = say('line', 0, 1, 1, long)
  const { state, add } = adding()
  add(say('size', 0, SIDE, SIDE))
  for (let n = 0; n < 20; n++) {
    add(image(n))
    expect(state.text().length).toBeLessThan(17 * long.length)
  }
  expect(state.isKnown).toBe(false)
  // Each could still be drawn; once that is over, and all is drawn again, the picture is known.
  for (let n = 0; n < 20; n++) add(say('end', n))
  expect(add(img(0, 0, 0, png(SIDE, SIDE, 1)))).toBe(true)

  for (let n = 0; n < 20; n++) add(path)
  expect(state.isKnown).toBe(false)
  expect(state.text().length).toBeLessThan(17 * long.length)
  add(say('cstroke', 14, 0, 1, 1, 1, 1, 1, 1, 255))
  expect(state.isKnown).toBe(false)
  expect(add(img(0, 0, 0, png(SIDE, SIDE, 1)))).toBe(true)

  for (let n = 1; n < 6; n++) add(say('move', n, 0, `1${long}`, 1, 1) + say('mouse', 1, 1, long))
  expect(state.isKnown).toBe(true)
  expect(state.text().length).toBeLessThan(10_000)
  for (let n = 0; n < 3000; n++) add(say('shade', n, 1))
  expect(state.isKnown).toBe(false)
  expect(state.text().length).toBeLessThan(100_000)
})
