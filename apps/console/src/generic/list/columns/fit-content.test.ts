import { expect, test } from 'vitest'
import { fitToContent } from './fit-content.ts'

const NAME = { key: 'name', min: 180, grow: 3 }
const ROLE = { key: 'role', min: 100, grow: 1 }
const STATE = { key: 'state', width: 100 }
const COMMENT = { key: 'comment', min: 100, grow: 1 }
const ALL = [NAME, ROLE, STATE, COMMENT]

/** Widths at `room` where the cells need so much. */
function widths(needs: Readonly<Record<string, number>>, room: number) {
  const known = new Map(Object.entries(needs).map(([key, content]) => [key, { content, head: 60 }]))
  return Object.fromEntries(fitToContent(ALL, known, { room, hasTicks: false }))
}
const total = (all: Readonly<Record<string, number>>) => Object.values(all).reduce((sum, width) => sum + width, 0)

test('where nothing is cut and nothing empty, columns stay where they were before the rows came', () => {
  expect(widths({ name: 150, role: 90, state: 80, comment: 90 }, 980)).toEqual({
    name: 480,
    role: 200,
    state: 100,
    comment: 200,
  })
})

test('a text that is cut gets the room that others do not need', () => {
  const fitted = widths({ name: 200, role: 330, state: 80, comment: 120 }, 980)
  expect(fitted.role).toBe(330)
  expect(fitted.name).toBeGreaterThanOrEqual(200)
  expect(fitted.comment).toBeGreaterThanOrEqual(120)
  expect(total(fitted)).toBeLessThanOrEqual(980)
})

test('a column that is empty on the whole page steps back to its head, and the others have its room', () => {
  const fitted = widths({ name: 150, role: 190, state: 80, comment: 0 }, 980)
  expect(fitted.comment).toBe(60)
  expect(fitted.name).toBeGreaterThan(480)
  expect(total(fitted)).toBeGreaterThan(970)
})

test('also a state of a fixed width is not cut while another column has room to spare', () => {
  expect(widths({ name: 150, role: 90, state: 140, comment: 90 }, 980).state).toBe(140)
})

test('one endless text takes no more than the others can spare, and never most of the table', () => {
  const fitted = widths({ name: 5000, role: 190, state: 80, comment: 150 }, 980)
  expect(fitted.role).toBeGreaterThanOrEqual(190)
  expect(fitted.comment).toBeGreaterThanOrEqual(150)
  expect(fitted.name).toBeLessThan(980 / 2)
})

test('short texts give way before a table has to scroll', () => {
  const fitted = widths({ name: 120, role: 70, state: 70, comment: 80 }, 400)
  expect(total(fitted)).toBeLessThanOrEqual(400)
  expect(fitted.name).toBeGreaterThanOrEqual(120)
})

test('without room for all, everything keeps what it needs to be recognized, and the table scrolls', () => {
  const fitted = widths({ name: 300, role: 200, state: 100, comment: 200 }, 300)
  expect(fitted).toEqual({ name: 180, role: 100, state: 100, comment: 100 })
})
