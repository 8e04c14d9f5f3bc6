import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentProps } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { NO_ANSWERS } from './answers.ts'
import { WorkbenchBar } from './WorkbenchBar.tsx'
import type { Started } from './workbench-store.ts'

afterEach(cleanup)

const started: Started = { dialect: 'mysql', version: '', mayEdit: true, mayExport: true, mayPlan: true }
const bar = (given: Partial<ComponentProps<typeof WorkbenchBar>> = {}) => {
  const events = { onRun: vi.fn(), onFormat: vi.fn(), onStop: vi.fn(), onAdd: vi.fn(), onForget: vi.fn() }
  const shown = { answers: NO_ANSWERS, isLocked: false, isTreeShown: true, setTreeShown: vi.fn() }
  const state = { started, isConnected: true, mayRun: true, mayStop: false, history: [], saving: undefined }
  return <WorkbenchBar {...shown} {...state} {...events} onWrite={vi.fn()} {...given} />
}

test('actions that a database lacks are not offered: a plan where it has no statement for that, a layout where rows mean something', () => {
  const shown = (started: Started) => {
    render(bar({ started }))
    const found = ['Run', 'Explain', 'Format'].filter((name) => screen.queryByRole('button', { name }))
    cleanup()
    return found
  }
  expect(shown({ dialect: 'mysql', version: '', mayEdit: true, mayExport: true, mayPlan: true })).toEqual([
    'Run',
    'Explain',
    'Format',
  ])
  expect(shown({ dialect: 'sqlserver', version: '', mayEdit: false, mayExport: false, mayPlan: false })).toEqual([
    'Run',
  ])
})

test('a person who runs or stops by the keys goes on writing, as the button can not be pressed any more', async () => {
  const onWrite = vi.fn()
  render(bar({ onWrite, mayStop: true }))
  for (const name of ['Run', 'Run all', 'Explain', 'Stop']) {
    await userEvent.click(screen.getByRole('button', { name }))
    expect(onWrite).not.toHaveBeenCalled()
    screen.getByRole('button', { name }).focus()
    await userEvent.keyboard('{Enter}')
    expect(onWrite).toHaveBeenCalledTimes(1)
    onWrite.mockClear()
  }
})
