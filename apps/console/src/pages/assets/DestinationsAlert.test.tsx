import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { serve, show, signIn } from '../../test/harness.tsx'
import { DestinationsAlert } from './DestinationsAlert.tsx'

const there = { protocol: 'telnet/23', address: '10.0.0.9', domain: null, gateway: '192.0.2.1:22' }

/** An asset that was moved; confirming it empties the list. */
function movedAsset() {
  let unconfirmed = [there]
  return serve(({ method, path }) => {
    if (path.endsWith('/confirm/')) unconfirmed = []
    return path.includes('/destinations/') && (method === 'GET' || method === 'POST')
      ? { body: { unconfirmed, confirmed: [] } }
      : undefined
  })
}
const open = () => show(<DestinationsAlert assetId="a1" />, '/a1', '/a1')

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a moved asset says where nothing is sent, and a system administrator confirms what they were shown', async () => {
  signIn()
  const calls = movedAsset()
  open()
  expect((await screen.findByRole('alert')).textContent).toContain('10.0.0.9 (telnet/23, through 192.0.2.1:22)')
  await userEvent.click(screen.getByRole('button', { name: 'Confirm the address' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Confirm' }))
  await waitFor(() => expect(screen.queryByText('This asset was moved')).toBeNull())
  expect(calls.find(({ method }) => method === 'POST')?.body).toEqual({ destinations: [there] })
})

test('an administrator of an organization sees it, and whom to ask', async () => {
  signIn({ bits: 19, role: 18 })
  movedAsset()
  open()
  expect((await screen.findByRole('alert')).textContent).toContain('a system administrator confirms the address')
  expect(screen.queryByRole('button', { name: 'Confirm the address' })).toBeNull()
})
