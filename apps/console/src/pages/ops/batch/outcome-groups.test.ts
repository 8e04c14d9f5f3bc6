import type { CommandOutcomes } from '@sallyport/contract/resources/ops/command-execution.ts'
import { expect, test } from 'vitest'
import { lastLineOf, linesOf, outcomeGroups, textOf } from './outcome-groups.ts'

const host = (name: string, more: Partial<CommandOutcomes['hosts'][number]> = {}) => ({
  asset: `id of ${name}`,
  name,
  state: 'success' as const,
  code: 0,
  milliseconds: 5,
  error: '',
  ticket: null,
  output: 'a',
  ...more,
})
const outcomes: CommandOutcomes = {
  is_finished: false,
  error: '',
  hosts: [
    host('waits', { state: 'waiting', code: null, output: '' }),
    host('other', { output: 'b' }),
    host('one'),
    host('two'),
    host('failed', { state: 'failed', code: 1 }),
    host('away', { state: 'failed', code: null, error: 'not reached', output: '' }),
  ],
  outputs: { a: { stdout: 'x\ny\n', stderr: '', is_cut: false }, b: { stdout: 'x\nz\n', stderr: '', is_cut: false } },
}

test('machines that said the same are one group, the largest first; an exit code or a reason of its own is another', () => {
  expect(outcomeGroups(outcomes).map(({ hosts, code, error }) => [hosts.map(({ name }) => name), code, error])).toEqual(
    [
      [['one', 'two'], 0, ''],
      [['other'], 0, ''],
      [['failed'], 1, ''],
      [['away'], null, 'not reached'],
    ],
  )
})

test('lines that the largest group does not have are told apart', () => {
  expect(linesOf('x\nz\n', 'x\ny\n')).toEqual([
    { text: 'x', isOther: false },
    { text: 'z', isOther: true },
  ])
})

test('a file of it has every machine with its output, exit code or reason', () => {
  expect(textOf(outcomeGroups(outcomes))).toBe(
    '# one, two | rc=0\nx\ny\n\n\n# other | rc=0\nx\nz\n\n\n# failed | rc=1\nx\ny\n\n\n# away | not reached',
  )
})

test('the last line that says something is that of a progress bar as it stands, without colors', () => {
  expect(lastLineOf('one\r\n10%\r\u001b[32m20%\u001b[0m\n\n')).toBe('20%')
})
