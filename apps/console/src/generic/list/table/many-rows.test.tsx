import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { Row } from '../../../lib/api.ts'
import { DataTable } from './DataTable.tsx'
import type { TableColumn } from './table-column.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `r${index}`, name: `row ${index}` }))

test('a table of ten thousand rows draws only those in sight, and screen readers know of the others', () => {
  const draw = vi.fn((row: Row) => String(row.name))
  const columns: TableColumn[] = [{ key: 'name', title: 'Name', draw }]
  render(<DataTable label="Rows" columns={columns} rows={rows(10_000)} />)
  expect(draw.mock.calls.length).toBeLessThan(300)
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('10001')
  expect(screen.getByRole('row', { name: 'row 0' }).getAttribute('aria-rowindex')).toBe('2')
})

test('a page of a hundred rows is drawn whole', () => {
  render(
    <DataTable
      label="Rows"
      columns={[{ key: 'name', title: 'Name', draw: ({ name }) => String(name) }]}
      rows={rows(100)}
    />,
  )
  // With the head.
  expect(screen.getAllByRole('row')).toHaveLength(101)
  expect(screen.getByRole('table').hasAttribute('aria-rowcount')).toBe(false)
})

/** As the browser does: cells are as wide as their letters, and the table was laid out. */
function layOut(): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      readonly #tell: () => void
      constructor(tell: () => void) {
        this.#tell = tell
      }
      observe() {
        queueMicrotask(this.#tell)
      }
      disconnect() {}
    },
  )
  Range.prototype.getBoundingClientRect = function () {
    return { width: 8 * this.toString().length } as DOMRect
  }
}

test('a long name has the room that an empty column does not need', async () => {
  layOut()
  const column = (key: string): TableColumn => ({
    key,
    title: key,
    min: 150,
    draw: (row) => String((row as unknown as Record<string, unknown>)[key] ?? ''),
  })
  const long = 'a name of about seventy letters, which nobody can read when it is cut short'
  render(
    <DataTable
      label="Rows"
      room={1000}
      columns={['name', 'role', 'comment'].map(column)}
      rows={[{ id: 'r1', name: 'short', role: long, comment: '' }]}
    />,
  )
  const widths = () => [...document.querySelectorAll('col')].map(({ style }) => Number.parseInt(style.width, 10))
  await vi.waitFor(() => expect(widths()[1]).toBeGreaterThan(400))
  const [name = 0, role = 0, comment = 0] = widths()
  expect(comment).toBeLessThan(120)
  expect(name + role + comment).toBeLessThanOrEqual(1000)
})
