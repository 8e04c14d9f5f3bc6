import { expect, test } from 'vitest'
import { nameOf, namesOf } from './name-of.ts'
import { protocolName } from './protocol-name.ts'
import { clockWords } from './time/clock-words.ts'

test('a kept name is known by what is before its last pair of parentheses, and one without any stays', () => {
  expect(['root(root)', 'web-1(10.0.0.1)', 'web-1', '(x)'].map(nameOf)).toEqual(['root', 'web-1', 'web-1', '(x)'])
})

test('several that share a name keep the part that tells them apart', () => {
  expect(namesOf(['Ann(ann)', 'Bob(bob)', 'Ann(ann2)', 'gone'])).toEqual(['Ann(ann)', 'Bob', 'Ann(ann2)', 'gone'])
})

test('times by the clock read as words where a short sentence tells them, and as written otherwise', () => {
  expect(
    ['* * * * *', '*/5 * * * *', '7 * * * *', '5 4 * * *', '0 2 1 * *', '7 * 1 * *', '0 8 * * 1-5'].map(clockWords),
  ).toEqual([
    'Every minute',
    'Every 5 minutes',
    'Every hour at minute 7',
    'Every day at 04:05',
    'On day 1 of every month at 02:00',
    '7 * 1 * *',
    '0 8 * * 1-5',
  ])
})

test('protocols are called as people call them; one without a name of its own stays', () => {
  expect(['ssh', 'telnet', 'k8s', 'gopher'].map(protocolName)).toEqual(['SSH', 'Telnet', 'Kubernetes', 'gopher'])
})
