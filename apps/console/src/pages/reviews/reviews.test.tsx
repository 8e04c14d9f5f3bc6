import { createHash } from 'node:crypto'
import { accessReview } from '@sallyport/contract/resources/reviews/access-review.ts'
import { accessReviewLine } from '@sallyport/contract/resources/reviews/access-review-line.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showError } from '../../design/dialogs/feedback.tsx'
import { DetailPage } from '../../generic/detail/DetailPage.tsx'
import { onApi } from '../../lib/api.ts'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { accessReviewPages } from './access-review.page.tsx'
import { ReviewRecord } from './ReviewRecord.page.tsx'

const REVIEW = {
  id: 'r1',
  name: 'Quarter',
  state: 'open',
  undecided: 'keep',
  lines_amount: 3,
  open_amount: 2,
  own_amount: 2,
  date_end: '2999/01/01 00:00:00 +0000',
}
const line = (id: string, subject_name: string) => ({
  id,
  review: 'r1',
  subject_name,
  subject_kind: 'user',
  subject: id,
  members_amount: 1,
  permission_name: 'web',
  permission: 'p1',
  family: 'asset',
  targets: ['web-1', 'web-2', 'web-3'],
  targets_amount: 12,
  nodes: ['/Default/Web'],
  nodes_amount: 1,
  system_users: ['root'],
  last_use: null,
  uses: 0,
  verdict: 'open',
  changes: ['actions'],
  can_decide: true,
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

const decisions = (calls: readonly Call[]) => calls.filter(({ method }) => method === 'POST').map(({ body }) => body)

test('a reviewer decides line by line with the keyboard: the next line is under the key that confirmed the last', async () => {
  let rows = [line('l1', 'Ann(ann)'), line('l2', 'Bob(bob)')]
  const calls = serve(({ method, path, body }) => {
    if (method === 'OPTIONS')
      return { body: metadataFor(path === accessReviewLine.path ? accessReviewLine : accessReview) }
    if (method === 'POST') {
      const { lines } = body as { lines: string[] }
      rows = rows.filter(({ id }) => !lines.includes(id))
      return { body: { confirmed: 1, withdrawn: 0, gone: 0 } }
    }
    if (path !== accessReviewLine.path)
      return { body: { ...REVIEW, open_amount: rows.length, own_amount: rows.length } }
    return { body: { count: rows.length, next: null, previous: null, results: rows } }
  })
  show(
    <DetailPage pages={accessReviewPages} base="AccessReview" title="Access review" />,
    '/reviews/r1',
    '/reviews/:id',
  )
  await screen.findByText('1 of 3 decided')
  expect((await screen.findAllByText('/Default/Web, web-1, web-2, 10 more')).length).toBe(2)
  expect(screen.getAllByText('Never')).toHaveLength(2)
  const [first] = await screen.findAllByRole('button', { name: /^Confirm/ })
  first?.focus()
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByText('Ann(ann)')).toBeNull())
  await waitFor(() => expect(document.activeElement?.closest('tr')?.textContent).toContain('Bob(bob)'))
  await userEvent.click(screen.getByRole('button', { name: /^Withdraw/ }))
  await userEvent.type(await screen.findByLabelText('Reason, for the record'), 'left the team')
  await userEvent.click(screen.getByRole('button', { name: 'Withdraw' }))
  await screen.findByText('You have decided about all of them')
  expect(decisions(calls)).toEqual([
    { lines: ['l1'], verdict: 'confirm' },
    { lines: ['l2'], verdict: 'withdraw', comment: 'left the team' },
  ])
})

test('while a review begins or ends, its page says how far it is, and shows it by itself once it has', async () => {
  let row = { ...REVIEW, state: 'beginning', lines_amount: 0, open_amount: 0, own_amount: 0 }
  serve(({ method, path }) => {
    if (method === 'OPTIONS')
      return { body: metadataFor(path === accessReviewLine.path ? accessReviewLine : accessReview) }
    if (path === accessReviewLine.path) return { body: { count: 0, next: null, previous: null, results: [] } }
    return { body: row }
  })
  show(
    <DetailPage pages={accessReviewPages} base="AccessReview" title="Access review" />,
    '/reviews/r1',
    '/reviews/:id',
  )
  await screen.findByText(/^All grants and their use in the last 90 days are being read/)
  row = { ...row, state: 'ending', lines_amount: 5000, open_amount: 3000 }
  await screen.findByText('2,000 of 5,000 grants are settled')
  row = { ...row, open_amount: 0 }
  await screen.findByText('The record is being signed')
  row = { ...row, state: 'ended' }
  await screen.findByText('Ended')
})
test('the record on paper shows what was decided, by whom and why, and the signature over it', async () => {
  const names = (...all: string[]) => ({ names: all, amount: all.length })
  const body = JSON.stringify({
    name: 'Quarter',
    comment: '',
    organization: { id: 'o', name: 'Default' },
    author: 'Ann(ann)',
    reviewers: [],
    decided_by: 'reviewers',
    undecided: 'withdraw',
    date_start: '2026-11-01T08:00:00Z',
    date_ended: '2026-11-15T08:00:00Z',
    ended_by: 'Ann(ann)',
    totals: { confirmed: 1, lapsed: 1 },
    lines: [
      {
        ...line('l1', 'Bob(bob)'),
        nodes: names('/Default/Web'),
        targets: { names: ['web-1'], amount: 4 },
        system_users: names('root'),
        verdict: 'confirmed',
        decided_by: 'Ann(ann)',
        date_decided: '2026-11-02T08:00:00Z',
        comment: 'still on call',
      },
      {
        ...line('l2', 'Carl(carl)'),
        decided_by: '',
        nodes: names(),
        targets: names('db-1'),
        system_users: names(),
        verdict: 'lapsed',
        comment: '',
      },
    ],
  })
  serve(() => ({ body: { body, signature: 'c2lnbmVk' } }))
  show(<ReviewRecord title="Record" />, '/reviews/r1/record', '/reviews/:id/record')
  const bob = await screen.findByRole('row', { name: /Bob/ })
  expect(bob.textContent).toContain('/Default/Web, web-1, 3 more (root)')
  expect(bob.textContent).toContain('still on call')
  expect(screen.getByRole('row', { name: /Carl/ }).textContent).toContain('Withdrawn at the end')
  screen.getByText('c2lnbmVk')
  screen.getByText(createHash('sha256').update(body).digest('hex'))
})
