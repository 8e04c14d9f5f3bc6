import { expect, test } from 'vitest'
import {
  buttonLabel,
  countRows,
  type ImportEvent,
  type ImportTask,
  importTask,
  newTask,
  nextRow,
} from './import-task.ts'

const two = () => newTask([{ name: 'a' }, { name: 'b' }])
const after = (task: ImportTask, ...events: ImportEvent[]) => events.reduce(importTask, task)
const ok = (index: number): ImportEvent => ({ type: 'ok', index })
const failed = (index: number): ImportEvent => ({ type: 'failed', index, errors: { name: 'Taken' } })
const run: ImportEvent = { type: 'run' }
const stop: ImportEvent = { type: 'stop' }
const statuses = (task: ImportTask) => task.rows.map(({ status }) => status)

test('[A4.17 A4.18 B4.01] pending, started by Import, stopped by Stop, done when no row waits', () => {
  expect(two().state).toBe('pending')
  expect(after(two(), run).state).toBe('started')
  expect(after(two(), run, stop).state).toBe('stopped')
  expect(after(two(), run, ok(0)).state).toBe('started')
  expect(after(two(), run, ok(0), failed(1)).state).toBe('done')
  expect(after(two(), stop).state).toBe('pending')
})

test('[A4.19 B4.02] Continue after the end tries failed rows again, after a stop only those that wait', () => {
  expect(statuses(after(two(), run, ok(0), failed(1), run))).toEqual(['ok', 'pending'])
  const stopped = after(two(), run, failed(0), stop, run)
  expect(statuses(stopped)).toEqual(['error', 'pending'])
  expect(nextRow(stopped)?.index).toBe(1)
})

test('[A4.20 B4.03] the button says Import, Stop, Continue, Finished', () => {
  expect(buttonLabel(two())).toBe('Import')
  expect(buttonLabel(after(two(), run))).toBe('Stop')
  expect(buttonLabel(after(two(), run, stop))).toBe('Continue')
  expect(buttonLabel(after(two(), run, ok(0), failed(1)))).toBe('Continue')
  expect(buttonLabel(after(two(), run, ok(0), ok(1)))).toBe('Finished')
})

test('[A4.21 B4.04] a row becomes ok or error; editing a cell makes it wait again without its errors', () => {
  const done = after(two(), run, ok(0), failed(1))
  expect(statuses(done)).toEqual(['ok', 'error'])
  const edited = after(done, { type: 'edit', index: 1, field: 'name', value: 'c' })
  expect(edited.rows[1]).toEqual({ index: 1, values: { name: 'c' }, status: 'pending', errors: {} })
  expect(buttonLabel(edited)).toBe('Continue')
  expect(nextRow(after(edited, run))?.values).toEqual({ name: 'c' })
})

test('[A4.18] the answer for a row that was under way at the stop still counts, and that row is not edited meanwhile', () => {
  const waiting = after(two(), run, { type: 'sending', index: 0 }, stop, {
    type: 'edit',
    index: 0,
    field: 'name',
    value: 'x',
  })
  expect(waiting.rows[0]?.values).toEqual({ name: 'a' })
  const answered = after(waiting, ok(0))
  expect([answered.state, ...statuses(answered)]).toEqual(['stopped', 'ok', 'pending'])
})

test('[A4.18] counts of a file', () => {
  expect(countRows(after(two(), run, failed(0)).rows)).toEqual({ total: 2, ok: 0, error: 1, pending: 1 })
})
