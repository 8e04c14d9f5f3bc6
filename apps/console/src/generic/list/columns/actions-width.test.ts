import { afterEach, expect, test } from 'vitest'
import { setCatalog } from '../../../lib/i18n.ts'
import type { RowAction } from '../../view/actions.ts'
import { actionsWidth } from './actions-width.ts'

const action = (title: string, change: Partial<RowAction> = {}): RowAction => ({
  name: title,
  title,
  run: () => {},
  ...change,
})
const has = () => true

afterEach(() => setCatalog({}))

test('[A2.83] a column of actions has room for the two words that a row shows, whichever of its actions they are', () => {
  const both = actionsWidth([action('Update'), action('Release the lock')])
  expect(both).toBeGreaterThan(actionsWidth([action('Update'), action('Delete')]))
  // Two of three, where one of them is not always there: as much room as those two alone.
  expect(actionsWidth([action('Update'), action('Run', { has }), action('Release the lock')])).toBe(both)
  expect(actionsWidth([action('Run', { has }), action('Update', { has }), action('Release the lock', { has })])).toBe(
    both,
  )
})

test('the first of three actions that every row has is in words, and the others are icons', () => {
  const folded = actionsWidth([action('Update'), action('Release the lock'), action('Take away for good')])
  expect(folded).toBeLessThan(actionsWidth([action('Update'), action('Release the lock')]))
  expect(actionsWidth([action('Release the lock'), action('Update'), action('Clone')])).toBeGreaterThan(folded)
})

test('its head has room also where a row has nothing to be done, and a word is as wide as its language', () => {
  expect(actionsWidth([])).toBeGreaterThan(60)
  const english = actionsWidth([action('Update'), action('Release the lock')])
  setCatalog({ Update: '更新', 'Release the lock': '解除锁定' })
  expect(actionsWidth([action('Update'), action('Release the lock')])).toBeLessThan(english)
})

test('sixty actions that may each be missing are reckoned at once', () => {
  const many = Array.from({ length: 60 }, (_, index) => action(`Action ${index}`, { has }))
  expect(actionsWidth(many)).toBe(actionsWidth([action('Action 58'), action('Action 59')]))
})
