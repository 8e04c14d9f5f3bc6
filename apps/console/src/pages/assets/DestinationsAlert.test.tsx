import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { serve, show, signIn } from '../../test/harness.tsx'
import { DestinationsAlert } from './DestinationsAlert.tsx'

const there = { protocol: 'telnet/23', address: '10.0.0.9', domain: null, gateway: '192.0.2.1:22' }

/** A target that was moved; confirming it empties the list. */
function movedTarget() {
  let unconfirmed = [there]
  return serve(({ method, path }) => {
    if (path.endsWith('/confirm/')) unconfirmed = []
    return path.includes('/destinations/') && (method === 'GET' || method === 'POST')
      ? { body: { unconfirmed, confirmed: [] } }
      : undefined
  })
}
const words = { title: 'It was moved', meaning: 'Nothing is sent to {{destinations}}.', whenSure: '{{destinations}}?' }
const open = () => show(<DestinationsAlert owner="/api/v1/assets/assets/a1/" words={words} />, '/a1', '/a1')

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a moved target says where nothing is sent, and a system administrator confirms what they were shown', async () => {
  signIn()
  const calls = movedTarget()
  open()
  expect((await screen.findByRole('alert')).textContent).toContain('10.0.0.9 (telnet/23, through 192.0.2.1:22)')
  await userEvent.click(screen.getByRole('button', { name: 'Confirm the address' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Confirm' }))
  await waitFor(() => expect(screen.queryByText('It was moved')).toBeNull())
  expect(calls.find(({ method }) => method === 'POST')?.body).toEqual({ destinations: [there] })
})

test('an administrator of an organization sees it, and confirms nothing', async () => {
  signIn({ bits: 19, role: 18 })
  movedTarget()
  open()
  expect((await screen.findByRole('alert')).textContent).toContain('Nothing is sent to 10.0.0.9')
  expect(screen.queryByRole('button', { name: 'Confirm the address' })).toBeNull()
})
