import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import '../../test/harness.tsx'
import { TabPage } from './TabPage.tsx'

afterEach(cleanup)

test('[A2.74] a link to another tab of the page that is open leads there, also after a tab was clicked', async () => {
  const tabs = ['One', 'Two', 'Three'].map((name) => ({
    name,
    title: name,
    content: () => <p>{`content of ${name}`}</p>,
  }))
  const router = createMemoryRouter([{ path: '/', element: <TabPage tabs={tabs} /> }], {
    initialEntries: ['/?activeTab=One'],
  })
  render(<RouterProvider router={router} />)
  await screen.findByText('content of One')
  await userEvent.click(screen.getByRole('tab', { name: 'Two' }))
  await screen.findByText('content of Two')
  await router.navigate('/?activeTab=Three')
  await screen.findByText('content of Three')
  await router.navigate('/?activeTab=One')
  expect(await screen.findByText('content of One')).toBeTruthy()
})

test('arrows move among the tabs, one of which is in the order of Tab; Enter opens the one with the focus', async () => {
  const tabs = ['One', 'Two', 'Three'].map((name) => ({ name, title: name, content: () => <p>{`in ${name}`}</p> }))
  const router = createMemoryRouter([{ path: '/', element: <TabPage tabs={tabs} /> }], {
    initialEntries: ['/?activeTab=One'],
  })
  render(<RouterProvider router={router} />)
  await userEvent.tab()
  expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'One' }))
  await userEvent.keyboard('{ArrowLeft}')
  expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'Three' }))
  await userEvent.keyboard('{Home}{ArrowRight}')
  screen.getByText('in One')
  await userEvent.keyboard('{Enter}')
  const panel = screen.getByRole('tabpanel', { name: 'Two' })
  expect(panel.textContent).toBe('in Two')
  expect(screen.getAllByRole('tab').map((tab) => tab.tabIndex)).toEqual([-1, 0, -1])
})
