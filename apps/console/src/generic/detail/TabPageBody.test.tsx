import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import '../../test/harness.tsx'
import { TabPageBody } from './TabPageBody.tsx'

afterEach(cleanup)

test('[A2.74] a link to another tab of the page that is open leads there, also after a tab was clicked', async () => {
  const tabs = ['One', 'Two', 'Three'].map((name) => ({
    name,
    title: name,
    content: () => <p>{`content of ${name}`}</p>,
  }))
  const router = createMemoryRouter([{ path: '/', element: <TabPageBody tabs={tabs} /> }], {
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
