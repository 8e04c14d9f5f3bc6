import { expect, test } from 'vitest'
import { faultOf, faultsBelow } from './code-words.mjs'

/** Folders and files that keep to the vocabulary. */
const KEPT = ['apps/console/src', 'apps/server', 'packages', 'e2e', 'bench']

test('comments, titles of tests and names say it in the words of the vocabulary', () => {
  expect(faultsBelow(KEPT)).toEqual([])
})

test('a word is found in a comment, a title or a name, and nowhere else', () => {
  expect(faultOf(`test('a person is told why', () => {`, '')).toContain('reported')
  expect(faultOf(`  'whoever signs in has a session',`, '')).toContain('a person who')
  expect(faultOf('  /** Of one row. */', '')).toContain('its subject')
  expect(faultOf('const told = []', '')).toContain('report')
  expect(faultOf(`const words = 'he was told'`, '')).toBeUndefined()
  expect(faultOf('/** The two can not be told apart. */', '')).toBeUndefined()
})

test('a line that goes on with the sentence of the line before is no beginning', () => {
  expect(faultOf(' * who may connect.', ' * The people of a group')).toBeUndefined()
  expect(faultOf(' * What a group has', ' * The group of one person.')).toContain('its subject')
})
