import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { ManualSignIn } from './ManualSignIn.tsx'

const MANUAL = {
  id: 'keeper',
  name: 'keeper',
  username: 'keeper-login',
  priority: 20,
  protocol: 'ssh',
  login_mode: 'manual',
}
const AUTO = { ...MANUAL, id: 'root', name: 'root', login_mode: 'auto' }

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** A server that knows two system users of the machine, and which of them the path leads to. */
function serve(systemUser: string | null) {
  const asked: { address: string; body: unknown }[] = []
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const address = decodeURIComponent(String(input instanceof Request ? input.url : input))
    asked.push({ address, body: init?.body ? JSON.parse(String(init.body)) : undefined })
    const answer = address.includes('/koko/files/place/')
      ? { asset: systemUser && 'vault', system_user: systemUser }
      : address.includes('/temp-auth/')
        ? {}
        : [AUTO, MANUAL]
    return new Response(JSON.stringify(answer), { status: 200, headers: { 'content-type': 'application/json' } })
  })
  return asked
}

test('[A2.67] a machine that was reached through the nodes asks for the password of its own system user', async () => {
  const asked = serve('keeper')
  const onSignedIn = vi.fn()
  render(<ManualSignIn path="/Default/vault/keeper" onSignedIn={onSignedIn} />)
  await userEvent.type(await screen.findByLabelText('Password'), 's3cret{Enter}')
  await waitFor(() => expect(onSignedIn).toHaveBeenCalledTimes(1))
  expect(asked[0]?.address).toContain('path=/Default/vault/keeper')
  expect(asked.at(-1)?.address).toContain('/system-users/keeper/temp-auth/')
  expect(asked.at(-1)?.body).toEqual({
    instance_id: 'vault',
    username: 'keeper-login',
    password: 's3cret',
    protocol: 'ssh',
  })
})

test.each([['root'], [null]])('nothing is asked where no password is typed by hand (%s)', async (systemUser) => {
  const asked = serve(systemUser)
  render(<ManualSignIn path="/Default" onSignedIn={() => {}} />)
  await waitFor(() => expect(asked.length).toBe(systemUser ? 2 : 1))
  await Promise.resolve()
  expect(screen.queryByLabelText('Password')).toBeNull()
})
