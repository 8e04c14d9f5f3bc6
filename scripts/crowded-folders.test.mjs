import { expect, test } from 'vitest'
import { crowdedFolders } from './crowded-folders.mjs'

const filesIn = (folder, count) => Array.from({ length: count }, (_, index) => `${folder}/thing-${index}.ts`)

test('a folder holds 25 files of code at most, its subfolders not counted', () => {
  expect(crowdedFolders([...filesIn('apps/a', 25), ...filesIn('apps/a/b', 25)])).toEqual([])
  expect(crowdedFolders([...filesIn('apps/a', 26), ...filesIn('apps/a/b', 3)])).toEqual([
    expect.stringContaining('apps/a holds 26 files'),
  ])
})
