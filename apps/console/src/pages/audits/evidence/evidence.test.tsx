import type { ForwardingState } from '@sallyport/contract/resources/audits/forwarding.ts'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, serve, show, signIn } from '../../../test/harness.tsx'
import { AuditEvidence } from '../Evidence.page.tsx'

const STATES: ForwardingState[] = [
  {
    target: 'syslog',
    is_on: true,
    address: '10.0.0.9:514',
    form: 'TCP, CEF',
    waiting: 12,
    capacity: 100_000,
    lag_seconds: 75,
    sent: 4711,
    dropped: 3,
    date_sent: '2026/01/31 09:00:00 +0000',
    date_failed: '2026/01/31 09:01:00 +0000',
    error: 'connect ECONNREFUSED',
  },
  {
    target: 'webhook',
    is_on: false,
    address: '',
    form: '',
    waiting: 0,
    capacity: 100_000,
    lag_seconds: 0,
    sent: 0,
    dropped: 0,
    date_sent: null,
    date_failed: null,
    error: '',
  },
]
const logs = { login_log: { first: 3, last: 10 }, session: { first: 0, last: 5 } }
const root = (number: number) => ({
  number,
  body: JSON.stringify({ number, date: '2026-01-30T03:10:00.000Z', previous: '', logs }),
  signature: `signature-of-root-${number}-is-longer-than-this`,
})

function answers({ path, method }: Call): { status?: number; body?: unknown } {
  if (method === 'POST') return { status: 400, body: { detail: 'connect ECONNREFUSED 10.0.0.9:514' } }
  return { body: path.includes('roots') ? [root(1), root(2)] : STATES }
}

beforeEach(() => void signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('each system that gets events says how far behind it is and what was lost, and a test says why it fails', async () => {
  const calls = serve(answers)
  show(<AuditEvidence title="Log forwarding & integrity" />, '/audits/evidence', '/audits/evidence')
  const syslog = within(await screen.findByRole('region', { name: 'Syslog or SIEM' }))
  expect(syslog.getByText('Does not answer')).toBeTruthy()
  expect(syslog.getByText('12 of 100000')).toBeTruthy()
  expect(syslog.getByText('Dropped').nextElementSibling?.textContent).toBe('3')
  expect(syslog.getByText(/The last delivery failed: connect ECONNREFUSED/)).toBeTruthy()
  await userEvent.click(syslog.getByRole('button', { name: 'Send a test event' }))
  await syslog.findByText('connect ECONNREFUSED 10.0.0.9:514')
  expect(calls.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([{ target: 'syslog' }])
  const webhook = within(screen.getByRole('region', { name: 'Webhook' }))
  expect(webhook.getByText(/SALLYPORT_SETTING_AUDIT_WEBHOOK_URL/)).toBeTruthy()
  expect(webhook.queryByRole('button')).toBeNull()
})

test('the newest root stands first, with how many rows it vouches for, beside the files for a verifier', async () => {
  serve(answers)
  show(<AuditEvidence title="Log forwarding & integrity" />, '/audits/evidence?activeTab=Roots', '/audits/evidence')
  const table = within(await screen.findByRole('table', { name: 'Signed checkpoints' }))
  const [, first, second] = table.getAllByRole('row')
  expect(first?.textContent).toMatch(/^2.*12/)
  expect(second?.textContent).toMatch(/^1/)
  expect(screen.getByRole('button', { name: 'Download the checkpoints' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Download the public key' })).toBeTruthy()
})
