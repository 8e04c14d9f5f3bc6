import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { NO_ANSWERS } from './answers.ts'
import type { Started } from './use-workbench.ts'
import { WorkbenchBar } from './WorkbenchBar.tsx'

afterEach(cleanup)

test('what a database can not do is not offered: a plan where it has no statement for that, a layout where rows mean something', () => {
  const shown = (started: Started) => {
    const events = { onRun: vi.fn(), onFormat: vi.fn(), onStop: vi.fn(), onAdd: vi.fn(), onForget: vi.fn() }
    render(
      <WorkbenchBar
        {...{ started, answers: NO_ANSWERS, isLocked: false, isTreeShown: true, setTreeShown: vi.fn(), ...events }}
        {...{ mayRun: true, mayStop: false, history: [], saving: undefined }}
      />,
    )
    const found = ['Run', 'Explain', 'Format'].filter((name) => screen.queryByRole('button', { name }))
    cleanup()
    return found
  }
  expect(shown({ dialect: 'mysql', version: '', mayEdit: true, mayPlan: true })).toEqual(['Run', 'Explain', 'Format'])
  expect(shown({ dialect: 'sqlserver', version: '', mayEdit: false, mayPlan: false })).toEqual(['Run'])
})
