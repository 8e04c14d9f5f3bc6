import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { CellEditor } from './CellEditor.tsx'

afterEach(cleanup)

test('a statement is seen before it is run: the second of two clicks and a key that is held do not run it', async () => {
  const run = vi.fn(() => new Promise<never>(() => {}))
  const plan = async () => ({ question: 1, text: 'UPDATE thing' })
  const rest = { stop: vi.fn(), onRunning: vi.fn(), onDone: vi.fn(), onBack: vi.fn() }
  render(<CellEditor value="old" {...{ plan, run }} {...rest} />)
  await userEvent.type(screen.getByRole('textbox', { name: 'New value' }), '!')
  screen.getByRole('button', { name: 'Show the statement' }).focus()
  await userEvent.keyboard('{Enter}')
  const statement = await screen.findByText('UPDATE thing')
  expect(document.activeElement).toBe(statement)
  await userEvent.keyboard('{Enter}')
  fireEvent.click(screen.getByRole('button', { name: 'Run' }), { detail: 2 })
  expect(run).not.toHaveBeenCalled()
  await userEvent.tab()
  expect(document.activeElement?.textContent).toBe('Back')
  await userEvent.tab()
  await userEvent.keyboard('{Enter}')
  expect(run).toHaveBeenCalledTimes(1)
})
