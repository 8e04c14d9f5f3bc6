import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { type MenuGroup, type MenuItem, useMenu } from './menu.tsx'

afterEach(cleanup)

const ITEMS: (MenuItem | MenuGroup)[] = [
  { key: 'open', label: 'Open' },
  {
    title: 'Harmful',
    items: [{ key: 'delete', label: 'Delete', danger: true, disabled: true, title: 'It is in use' }],
  },
  { key: 'kind', label: 'Kind', items: [{ key: 'kind=db', label: 'Database' }] },
]

function Menu({ onChoose }: { onChoose: (key: string) => void }) {
  const { trigger, popup } = useMenu({ items: ITEMS, chosen: ['open'], onChoose })
  return (
    <>
      <button {...trigger} type="button">
        Actions
      </button>
      {popup}
      <p>beside</p>
    </>
  )
}

function show() {
  const chosen = vi.fn()
  render(<Menu onChoose={chosen} />)
  return chosen
}
const button = () => screen.getByRole('button', { name: 'Actions' })
const focused = () => document.activeElement?.textContent
const isOpen = () => screen.queryByRole('menu') !== null

test('Enter, Space and the down arrow open it at its first item; Escape and the Tab key close it, and the button has the focus again', async () => {
  const user = userEvent.setup()
  show()
  button().focus()
  for (const key of ['{Enter}', ' ', '{ArrowDown}']) {
    await user.keyboard(key)
    expect([key, focused(), button().getAttribute('aria-expanded')]).toEqual([key, 'Open', 'true'])
    await user.keyboard('{Escape}')
    expect([key, focused(), isOpen()]).toEqual([key, 'Actions', false])
  }
  await user.keyboard('{Enter}{Tab}')
  expect(isOpen()).toBe(false)
})

test('arrows and first letters move; what can’t be chosen says why and does nothing; choosing gives the focus back', async () => {
  const user = userEvent.setup()
  const chosen = show()
  await user.click(button())
  await user.keyboard('{ArrowDown}')
  const item = screen.getByRole('menuitem', { name: 'Delete' })
  expect([document.activeElement, item.getAttribute('aria-disabled'), item.getAttribute('aria-description')]).toEqual([
    item,
    'true',
    'It is in use',
  ])
  await user.keyboard('{Enter}')
  expect(isOpen()).toBe(true)
  await user.keyboard('o')
  expect(focused()).toBe('Open')
  await user.keyboard('{Enter}')
  expect([chosen.mock.calls, focused(), isOpen()]).toEqual([[['open']], 'Actions', false])
})

test('choices of an item take the place of the menu, and the left arrow leads back', async () => {
  const user = userEvent.setup()
  const chosen = show()
  await user.click(button())
  await user.click(screen.getByRole('menuitem', { name: 'Kind' }))
  expect(focused()).toBe('Database')
  await user.keyboard('{ArrowLeft}')
  expect(focused()).toBe('Open')
  await user.keyboard('{End}{Enter}{Enter}')
  expect(chosen).toHaveBeenCalledExactlyOnceWith('kind=db')
})

test('a press outside closes it; the item that holds is marked', async () => {
  const user = userEvent.setup()
  show()
  await user.click(button())
  expect(screen.getByRole('menuitem', { name: 'Open' }).getAttribute('aria-current')).toBe('true')
  await user.click(screen.getByText('beside'))
  expect(isOpen()).toBe(false)
})
