import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { Input } from './Input.tsx'
import { NumberInput } from './NumberInput.tsx'
import { SearchInput } from './SearchInput.tsx'

afterEach(cleanup)

test('Enter that takes a word of an input method sends nothing, in browsers that report it before or after', () => {
  const send = vi.fn()
  render(
    <>
      <Input aria-label="Command" onEnter={send} />
      <SearchInput aria-label="Words" onSearch={send} />
    </>,
  )
  for (const box of [screen.getByLabelText('Command'), screen.getByLabelText('Words')]) {
    fireEvent.keyDown(box, { key: 'Enter', isComposing: true })
    fireEvent.keyDown(box, { key: 'Enter', keyCode: 229 })
  }
  expect(send).not.toHaveBeenCalled()
  for (const box of [screen.getByLabelText('Command'), screen.getByLabelText('Words')])
    fireEvent.keyDown(box, { key: 'Enter', keyCode: 13 })
  expect(send).toHaveBeenCalledTimes(2)
})

test('Escape empties a box of searches, and only the next one closes what it is in', async () => {
  const close = vi.fn()
  const search = vi.fn()
  render(
    // biome-ignore lint/a11y/noStaticElementInteractions: stands for a dialog
    <div onKeyDown={({ key }) => key === 'Escape' && close()}>
      <SearchInput aria-label="Words" onSearch={search} />
    </div>,
  )
  const box = screen.getByRole('searchbox', { name: 'Words' }) as HTMLInputElement
  await userEvent.type(box, 'shop{Escape}')
  expect([box.value, search.mock.calls]).toEqual(['', [['']]])
  expect(close).not.toHaveBeenCalled()
  await userEvent.type(box, 'shop')
  await userEvent.click(screen.getByRole('button', { name: 'Clear' }))
  expect(box.value).toBe('')
  expect(document.activeElement).toBe(box)
  await userEvent.keyboard('{Escape}')
  expect(close).toHaveBeenCalledOnce()
})

test('a number is kept as it is typed, stepped by arrows, and told apart from what is none', async () => {
  const seen: (number | null)[] = []
  render(<HeldNumber onSeen={(value) => seen.push(value)} />)
  const box = screen.getByLabelText('Port') as HTMLInputElement
  await userEvent.type(box, '{ArrowUp}')
  expect(box.value).toBe('23')
  await userEvent.clear(box)
  await userEvent.type(box, '1.')
  expect(box.value).toBe('1.')
  await userEvent.type(box, '5.2')
  expect(box.value).toBe('1.5.2')
  expect([seen[0], seen[1], seen.at(-1)]).toEqual([23, null, Number.NaN])
})

function HeldNumber({ onSeen }: { onSeen: (value: number | null) => void }) {
  const [value, setValue] = useState<number | null>(22)
  return (
    <NumberInput
      aria-label="Port"
      value={value}
      onChange={(next) => {
        onSeen(next)
        setValue(next)
      }}
    />
  )
}
