import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { SchemaTree } from './SchemaTree.tsx'

afterEach(cleanup)

test('schemas, tables and columns are read as they are opened; a column is shown with its type, once, and is written where one writes', async () => {
  const answers: Record<string, string[][]> = {
    schemas: [['public'], ['bare']],
    columns: [['made', 'timestamp', '', '']],
  }
  const ask = vi.fn(async ({ about, schema }: Record<string, unknown>) => ({
    rows: about === 'relations' ? (schema === 'public' ? [['thing', 'table']] : []) : (answers[String(about)] ?? []),
    isCut: false,
  }))
  const onInsert = vi.fn()
  render(<SchemaTree {...{ ask, onInsert }} quoted={(name) => `"${name}"`} />)
  await userEvent.click(await screen.findByRole('treeitem', { name: 'public' }))
  await userEvent.click(await screen.findByRole('treeitem', { name: 'thing' }))
  const column = await screen.findByRole('treeitem', { name: /made/ })
  expect(ask).toHaveBeenCalledTimes(3)
  expect(column.title.trim()).toBe('made  timestamp')
  await userEvent.click(column)
  expect(onInsert).toHaveBeenCalledWith('"made"')
  // A schema without tables says so, and its word is written nowhere.
  await userEvent.click(screen.getByRole('treeitem', { name: 'bare' }))
  await userEvent.click(await screen.findByRole('treeitem', { name: 'No tables' }))
  expect(onInsert).toHaveBeenCalledTimes(1)
})
