import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useReducer } from 'react'
import { afterEach, expect, test } from 'vitest'
import type { Connection } from '../connect/connection.ts'
import { TabStrip } from './TabStrip.tsx'
import { changeTabs, NO_TABS } from './tabs.ts'

const web: Connection = {
  targetId: 'a1',
  targetName: 'web-1',
  systemUserId: 's1',
  systemUserName: 'root',
  protocol: 'ssh',
}

function Strip() {
  const begin = ['one', 'two', 'three'].reduce(
    (tabs, name) => changeTabs(tabs, { do: 'open', connection: web, name }),
    NO_TABS,
  )
  const [tabs, dispatch] = useReducer(changeTabs, begin)
  return <TabStrip tabs={tabs} dispatch={dispatch} />
}
const names = () => screen.getAllByRole('tab').map(({ textContent }) => textContent)
const active = () => screen.getByRole('tab', { selected: true }).textContent

afterEach(cleanup)

test('[A2.67] a click shows a tab, its cross closes it', async () => {
  render(<Strip />)
  await userEvent.click(screen.getByRole('tab', { name: 'one' }))
  expect(active()).toBe('one')
  await userEvent.click(screen.getByRole('button', { name: 'Close one' }))
  expect(names()).toEqual(['two', 'three'])
  expect(active()).toBe('two')
})

test('[A2.67] a double click renames; Enter commits, Escape keeps the old name', async () => {
  render(<Strip />)
  await userEvent.dblClick(screen.getByRole('tab', { name: 'two' }))
  await userEvent.keyboard('db{Enter}')
  expect(names()).toEqual(['one', 'db', 'three'])
  await userEvent.dblClick(screen.getByRole('tab', { name: 'one' }))
  await userEvent.keyboard('lost{Escape}')
  expect(names()).toEqual(['one', 'db', 'three'])
})

test('[A2.67] the right-click menu of a tab acts on that tab', async () => {
  render(<Strip />)
  fireEvent.contextMenu(screen.getByRole('tab', { name: 'two' }))
  await userEvent.click(await screen.findByText('Close tabs to the left'))
  expect(names()).toEqual(['two', 'three'])
})

test('the menu of a tab says its whole name, of which a narrow strip shows the beginning', async () => {
  render(<Strip />)
  fireEvent.contextMenu(screen.getByRole('tab', { name: 'two' }))
  await screen.findByText('two (root)')
})

test('the menu of a tab gives the keyboard back to its tab', async () => {
  render(<Strip />)
  const tab = screen.getByRole('tab', { name: 'two' })
  tab.focus()
  fireEvent.contextMenu(tab)
  await waitFor(() => expect(document.activeElement?.closest('[role=menu]')).toBeTruthy())
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(tab))
})

test('tabs are one stop of the Tab key: arrows move, Enter shows, F2 renames, Delete closes', async () => {
  render(<Strip />)
  const focused = () => document.activeElement?.textContent
  screen.getByRole('tab', { name: 'three' }).focus()
  expect(screen.getAllByRole('tab').map(({ tabIndex }) => tabIndex)).toEqual([-1, -1, 0])
  await userEvent.keyboard('{ArrowRight}')
  expect(focused()).toBe('one')
  expect(active()).toBe('three')
  await userEvent.keyboard('{Enter}')
  expect(active()).toBe('one')
  await userEvent.keyboard('{F2}first{Enter}')
  expect(names()).toEqual(['first', 'two', 'three'])
  expect(focused()).toBe('first')
  await userEvent.keyboard('{Delete}')
  expect(names()).toEqual(['two', 'three'])
  expect(focused()).toBe('two')
})
