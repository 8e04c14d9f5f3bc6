import { act, cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ComponentType, Suspense, useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { loadable } from './lazily.tsx'

afterEach(cleanup)

function Counter({ name }: { name: string }) {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      {name} {count}
    </button>
  )
}
const drawn = (Part: ComponentType<{ name: string }>, name: string) => (
  <Suspense fallback="on its way">
    <Part name={name} />
  </Suspense>
)

test('a part whose code is there is drawn at its first rendering, without anything in its place before', async () => {
  const { component, preload } = loadable(async () => Counter)
  await preload()
  const { container } = render(drawn(component, 'clicks'))
  expect(container.textContent).toBe('clicks 0')
})

test('a part whose code comes later keeps what was done in it when it is drawn again', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof Counter>()
  const { component } = loadable(() => promise)
  const { container, rerender } = render(drawn(component, 'clicks'))
  expect(container.textContent).toBe('on its way')
  await act(async () => resolve(Counter))
  await userEvent.click(await screen.findByRole('button', { name: 'clicks 0' }))
  rerender(drawn(component, 'presses'))
  expect(container.textContent).toBe('presses 1')
})

test('code that could not be fetched is asked for again', async () => {
  let tries = 0
  const { component, preload } = loadable(async () => {
    if (++tries === 1) throw new Error('no network')
    return Counter
  })
  await expect(preload()).rejects.toThrow('no network')
  await preload()
  const { container } = render(drawn(component, 'clicks'))
  expect([container.textContent, tries]).toEqual(['clicks 0', 2])
})
