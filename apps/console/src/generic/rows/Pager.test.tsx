import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { Pager } from './Pager.tsx'

afterEach(cleanup)

function ThreePages() {
  const [page, setPage] = useState(1)
  return <Pager count={30} page={page} size={10} onPage={setPage} />
}

test('at the last page the button of the next one does nothing, and keeps the keyboard', async () => {
  render(<ThreePages />)
  const next = screen.getByRole<HTMLButtonElement>('button', { name: 'Next page' })
  next.focus()
  await userEvent.keyboard('{Enter}{Enter}{Enter}{Enter}')
  expect(screen.getByRole('button', { name: '3' }).getAttribute('aria-current')).toBe('page')
  expect([next.disabled, next.getAttribute('aria-disabled')]).toEqual([false, 'true'])
  expect(document.activeElement).toBe(next)
})
