import { expect, test } from 'vitest'
import { failedRowsFile } from './failed-rows-file.ts'
import { importTask, newTask } from './import-task.ts'

test('failed rows become a file to mend: titles, lists as JSON, quotes doubled, formulas defused, the reason last', () => {
  const task = [
    { type: 'ok', index: 0 } as const,
    { type: 'failed', index: 1, errors: { name: 'Name: taken', '': 'No' } } as const,
  ].reduce(importTask, importTask(newTask([{ name: 'fine' }, { name: '=a"b', tags: ['x'] }]), { type: 'run' }))
  const columns = [
    ['Name', 'name'],
    ['Tags', 'tags'],
  ] as const
  expect(failedRowsFile(columns, task.rows, 'Reason')).toBe(
    '\uFEFF"Name","Tags","Reason"\r\n"\'=a""b","[""x""]","Name: taken; No"\r\n',
  )
})

test('two columns with one title are told apart by their field names', () => {
  const columns = [
    ['Role', 'role'],
    ['Role', 'role_display'],
  ] as const
  expect(failedRowsFile(columns, [], 'Reason')).toBe('\uFEFF"role","role_display","Reason"\r\n')
})
