import { accessProposal } from '@sallyport/contract/resources/reviews/access-proposal.ts'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showError } from '../../design/dialogs/feedback.tsx'
import { onApi } from '../../lib/api.ts'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { pages } from './Suggestions.page.tsx'

const COVERAGE = {
  is_covered: true,
  is_looking: false,
  days: 90,
  has_samples: false,
  installed_days: 200,
  kept_days: 200,
  date_looked: null,
  many_people: 50,
}
const CHANGE = {
  resource: 'asset_permission',
  path: '/api/v1/perms/asset-permissions/',
  id: 'of-1',
  body: { actions: ['connect'] },
}
const NONE = { count: 0, people: 0, targets: 0, rows: [] }
const UNJUDGED = { is_exact: true, begin: NONE, end: NONE, others: NONE }
const EFFECTS = {
  is_exact: true,
  touched: { people: 2, targets: 1, rights_at_most: 2 },
  gained: NONE,
  lost: NONE,
  changed: NONE,
  roles: { count: 0, rows: [] },
  places: { count: 0, rows: [] },
  sessions_end: { count: 0, rows: [] },
  confirmations: UNJUDGED,
  commands: UNJUDGED,
  self: { gained: 0, lost: 0, changed: 0 },
  last_administrator: { system: false, organizations: [] },
}
const proposal = (id: string, kind: string, object_name: string, facts: object, change: object | null) => ({
  id,
  kind,
  object_name,
  object_type: 'asset_permission',
  object_id: `of-${id}`,
  facts,
  change,
  state: 'open',
})

beforeEach(() => {
  localStorage.clear()
  onApi({ showError })
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('each suggestion says what was found and what it would change, is applied after a question, or dismissed with a reason', async () => {
  let coverage = COVERAGE
  let rows = [
    proposal('1', 'unused_action', 'busy', { actions: ['download_file'], uses: 3 }, CHANGE),
    proposal(
      '2',
      'many_people',
      'web-1',
      { people: 60, assets: 12, names: ['web-1', 'web-2'], permissions: ['p'] },
      null,
    ),
  ]
  const calls = serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(accessProposal) }
    if (path.endsWith('/coverage/')) return { body: coverage }
    if (method === 'PATCH') return { body: EFFECTS }
    if (method === 'POST') {
      rows = rows.filter(({ id }) => !path.includes(`/${id}/`))
      return { body: {} }
    }
    return { body: { count: rows.length, next: null, previous: null, results: rows } }
  })
  const Suggestions = pages.Suggestions
  show(<Suggestions title="Suggestions" />, '/', '/')
  await screen.findByText('3 sessions, and none used: Download file')
  await screen.findByText('60 people reach 12 assets: web-1, web-2 …')
  await userEvent.click(screen.getByRole('button', { name: /^Apply/ }))
  await screen.findByText('Take away: Download file: busy?')
  await screen.findByText('Nobody gains or loses a right.')
  await userEvent.click(screen.getByRole('button', { name: 'Apply' }))
  await vi.waitFor(() => expect(screen.queryByText('busy')).toBeNull())
  await userEvent.click(screen.getByRole('button', { name: /^Dismiss/ }))
  await userEvent.type(await screen.findByLabelText('Why it is fine as it is'), 'a jump host')
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
  await screen.findByText('Nothing is suggested')
  expect(calls.filter(({ method }) => method === 'POST').map(({ path, body }) => [path, body])).toEqual([
    [`${accessProposal.path}1/apply/`, {}],
    [`${accessProposal.path}2/dismiss/`, { reason: 'a jump host' }],
  ])
  const tried = calls.find(({ method }) => method === 'PATCH')
  expect([tried?.path, tried?.query.get('preview'), tried?.body]).toEqual([`${CHANGE.path}of-1/`, 'true', CHANGE.body])
  cleanup()
  coverage = { ...COVERAGE, is_covered: false, installed_days: 12 }
  show(<Suggestions title="Suggestions" />, '/', '/')
  await screen.findByText('This installation has run for 12 days: suggestions begin after 90.')
  cleanup()
  coverage = { ...COVERAGE, is_covered: false, has_samples: true, installed_days: 0 }
  show(<Suggestions title="Suggestions" />, '/', '/')
  await screen.findByText('These are examples of the demo. Suggestions of its own begin after 90 days of use.')
  expect(screen.queryByText(/suggestions begin after 90\.$/)).toBeNull()
  cleanup()
  coverage = { ...COVERAGE, is_looking: true }
  show(<Suggestions title="Suggestions" />, '/', '/')
  await screen.findByRole('progressbar', { name: 'Looking for suggestions' })
  rows = [proposal('3', 'unused_permission', 'found now', { last_use: null, date_created: 0 }, CHANGE)]
  coverage = COVERAGE
  await screen.findByText('found now')
})
