import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { Ask } from '../pane/questions.ts'
import { useObjectList } from './use-object-list.ts'

afterEach(cleanup)

const LISTING = { kind: 'pods', namespace: 'shop', selector: '' } as const

test('a cluster that says of every page that there is another one is not asked for ever', async () => {
  let count = 0
  // Nothing is answered where it would go on.
  const ask = (() =>
    ++count > 1000
      ? new Promise(() => {})
      : Promise.resolve({ columns: [], rows: [], next: 'again' })) as unknown as Ask
  const { result } = renderHook(() => useObjectList(ask, true, LISTING))
  await expect.poll(() => result.current.list.next).toBe('again')
  act(() => result.current.more(true))
  await expect.poll(() => result.current.list).toMatchObject({ isLoading: false, isFull: true })
  act(() => result.current.more(true))
  expect(result.current.list.isLoading).toBe(false)
  expect(count).toBe(500)
})
