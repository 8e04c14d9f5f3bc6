import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { DesktopFiles } from './DesktopFiles.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a question that failed is shown as failed, and asked again', async () => {
  const fetch = vi.fn(async () => Response.json([{ protocol: 'ssh' }]))
  fetch.mockImplementationOnce(async () => Response.json({ detail: 'The store is away' }, { status: 503 }))
  vi.stubGlobal('fetch', fetch)
  render(<DesktopFiles target={{ type: 'vnc', target_id: 'm1' }} />)
  const button = screen.getByRole('button', { name: 'Files' })
  fireEvent.click(button)
  expect((await screen.findByRole('alert')).textContent).toBe('The store is away')
  expect(screen.queryByText(/no SSH account/)).toBeNull()
  fireEvent.click(button)
  fireEvent.click(button)
  expect(await screen.findByRole('link', { name: /over SFTP/ })).toBeTruthy()
})
