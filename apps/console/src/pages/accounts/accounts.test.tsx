import { assetAccount } from '@sallyport/contract/resources/assets/asset-account.ts'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { askForMfa, MfaVerifyHost } from '../../generic/second-factor/MfaVerifyDialog.tsx'
import { onApi } from '../../lib/api.ts'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { assetAccountPages } from './asset-account-pages.tsx'

const ROW = {
  id: 'a1',
  hostname: 'web-1',
  ip: '10.0.0.1',
  asset: 'm1',
  username: 'root',
  version: 2,
  connectivity: 'ok',
}
const VERSION = {
  id: 'v1',
  version: 1,
  state: 'previous',
  has_password: true,
  has_key: false,
  date_created: '2026/11/01 10:00:00 +0000',
}
const LOOK = {
  id: 'l1',
  how: 'reveal',
  user: 'Ann(ann)',
  remote_addr: '10.9.9.9',
  date_created: '2026/11/02 10:00:00 +0000',
}

const CHANGE = {
  id: 'c1',
  state: 'failed',
  reason_display: 'The host could not be reached',
  date_start: '2026/11/03 10:00:00 +0000',
}

let isProven: boolean
let calls: ReturnType<typeof serve>
beforeEach(() => {
  signIn({ settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } })
  isProven = true
  onApi({ proveSecondFactor: askForMfa, showError: () => {} })
  calls = serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(assetAccount) }
    if (path.endsWith('/otp/verify/'))
      return isProven ? { body: {} } : { status: 400, body: { detail: 'first', code: 'mfa_verify_required' } }
    if (path.endsWith('/account-secrets/a1/')) return { body: { password: 'now-secret', private_key: '' } }
    if (path.endsWith('/versions/v1/')) return { body: { password: 'old-secret', private_key: '' } }
    if (path.endsWith('/versions/')) return { body: [VERSION] }
    if (path.endsWith('/looks/')) return { body: [LOOK] }
    if (path.endsWith('/plan-execution-subtask/')) return { body: [CHANGE] }
    return { body: { count: 1, next: null, previous: null, results: [ROW] } }
  })
  show(
    <>
      <ResourceTable pages={assetAccountPages()} base="AssetAccount" inAddress={false} />
      <MfaVerifyHost />
    </>,
    '/',
    '/',
  )
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const choose = async (name: string) => {
  await userEvent.click(await screen.findByRole('button', { name: /^More/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name }))
}
const asked = (end: string) => calls.filter(({ path }) => path.endsWith(end)).length

test('a secret comes covered, and is shown only to a person who asks for it', async () => {
  await userEvent.click(await screen.findByRole('button', { name: 'View secret' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Secret of the account' }))
  await userEvent.click(await dialog.findByRole('button', { name: 'Show: Password' }))
  expect(dialog.getByText('now-secret')).toBeTruthy()
  await userEvent.click(dialog.getByRole('button', { name: 'Hide: Password' }))
  expect(dialog.queryByText('now-secret')).toBeNull()
})

test('without a fresh second factor no secret is asked for', async () => {
  isProven = false
  await userEvent.click(await screen.findByRole('button', { name: 'View secret' }))
  await screen.findByRole('dialog')
  expect(asked('/account-secrets/a1/')).toBe(0)
})

test('the history of an account is one line of time, latest first: changes by plans, who had the secret, and what it was before', async () => {
  await choose('History')
  const dialog = within(await screen.findByRole('dialog', { name: 'History of the account' }))
  await dialog.findByText('Version 1 was replaced')
  const [change, look, version] = dialog.getAllByRole('listitem').map(({ textContent }) => textContent)
  expect(change).toContain('Change by a plan: FailedThe host could not be reached')
  expect(look).toContain('Ann(ann) had the secret')
  expect(version).toContain('Version 1 was replaced')
  await userEvent.click(dialog.getByRole('button', { name: 'View' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Show: Password' }))
  expect(screen.getByText('old-secret')).toBeTruthy()
})
