import type { CommandOutcomes } from '@sallyport/contract/resources/ops/command-execution.ts'
import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { ChosenMachines } from './ChosenMachines.tsx'
import { CompareHosts } from './CompareHosts.tsx'
import { outcomeGroups } from './outcome-groups.ts'

afterEach(cleanup)

const host = (name: string, output: string, code = 0): CommandOutcomes['hosts'][number] => ({
  ...{ asset: name, name, output, code, state: code ? 'failed' : 'success' },
  ...{ milliseconds: 5, error: '', ticket: null },
})
const output = (stdout: string) => ({ stdout, stderr: '', is_cut: false })

test('the machines of a run are listed by name and address before it begins, and can be left out', async () => {
  const onLeaveOut = vi.fn()
  const machines = Array.from({ length: 30 }, (_, n) => ({
    ...{ id: `m${n}`, name: `shop-frontend-${n}`, address: `10.0.0.${n}` },
  }))
  render(<ChosenMachines machines={machines} onLeaveOut={onLeaveOut} />)
  const list = within(screen.getByRole('list', { name: 'Chosen assets' }))
  list.getByText('shop-frontend-0')
  list.getByText('10.0.0.0')
  expect(list.queryByText('shop-frontend-29')).toBeNull()
  await userEvent.click(list.getByRole('button', { name: 'and 6 more' }))
  list.getByText('shop-frontend-29')
  await userEvent.click(list.getByRole('button', { name: 'Leave out shop-frontend-3' }))
  expect(onLeaveOut).toHaveBeenCalledExactlyOnceWith('m3')
})

test('two machines of a run are compared: what both have, what only one has, and how it ended', async () => {
  const groups = outcomeGroups({
    hosts: [host('web-1', 'a'), host('web-2', 'a'), host('web-3', 'b', 2)],
    outputs: { a: output('up\nkernel 6.1\n'), b: output('up\nkernel 6.9\n') },
  })
  const { container } = render(<CompareHosts groups={groups} />)
  const lines = () => [...(container.querySelector('pre')?.children ?? [])].map(({ textContent }) => textContent)
  expect(lines()).toEqual(['  up\n', '- kernel 6.1\n', '+ kernel 6.9\n', '+ exit code 2\n'])
  await userEvent.selectOptions(screen.getByRole('combobox', { name: /Second asset/ }), 'web-2')
  screen.getByText('Both gave the same output.')
})

test('a run in which all machines gave the same has nothing to compare', () => {
  const groups = outcomeGroups({ hosts: [host('web-1', 'a'), host('web-2', 'a')], outputs: { a: output('up\n') } })
  expect(render(<CompareHosts groups={groups} />).container.textContent).toBe('')
})
