import { ticketFlow } from '@sallyport/contract/resources/tickets/ticket-flow.ts'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DetailPage } from '../../generic/detail/DetailPage.tsx'
import { FormPage } from '../../generic/form/FormPage.tsx'
import { type Call, isGreyed, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { TicketList } from './TicketList.page.tsx'
import { flowPages, ticketFlowPages } from './ticket-flow.page.tsx'

const ROUTES = {
  TicketList: '/tickets/tickets',
  TicketFlowCreate: '/tickets/flows/create',
  TicketFlowUpdate: '/tickets/flows/:id/update',
  FlowDetail: '/tickets/tickets/flow/:id',
}
const ROOT = '00000000-0000-0000-0000-000000000000'
const flow = {
  id: 'f1',
  type: 'apply_asset',
  type_display: 'Apply for asset',
  approval_level: 1,
  created_by: 'System',
  org_id: ROOT,
  org_name: 'Root',
  date_created: '2026/11/21 09:00:00 +0000',
  date_updated: '2026/11/21 09:00:00 +0000',
  rules: [
    {
      level: 1,
      strategy: 'super_admin',
      strategy_display: 'Super admin',
      assignees_read_only: [],
      assignees_display: ['Ada(ada)'],
    },
  ],
}
const two = {
  ...flow,
  approval_level: 2,
  rules: [
    {
      level: 2,
      strategy: 'custom_user',
      strategy_display: 'Custom user',
      assignees_read_only: ['u7'],
      assignees_display: ['Eve(eve)'],
    },
    {
      level: 1,
      strategy: 'org_admin',
      strategy_display: 'Org admin',
      assignees_read_only: [],
      assignees_display: ['Ada(ada)'],
    },
  ],
}

let calls: Call[]
let stored: object
let answer: { status?: number; body?: unknown }

beforeEach(() => {
  localStorage.clear()
  signIn()
  stored = flow
  answer = { body: { ...flow, id: 'f2' } }
  calls = serve(({ method, path }) => {
    if (method === 'OPTIONS') return { body: metadataFor(ticketFlow) }
    if (method === 'PUT' || method === 'POST') return answer
    if (path.startsWith('/api/v1/users/users/'))
      return { body: { count: 1, next: null, previous: null, results: [{ id: 'u7', name: 'Eve', username: 'eve' }] } }
    if (path === `${ticketFlow.path}f1/`) return { body: stored }
    return { body: { count: 1, next: null, previous: null, results: [flow] } }
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const update = () =>
  show(
    <FormPage pages={ticketFlowPages} base="TicketFlow" title="Update ticket flow" mode="update" />,
    '/tickets/flows/f1/update',
    ROUTES.TicketFlowUpdate,
    ROUTES,
  )
const submit = () => fireEvent.click(screen.getByText('Submit'))
const body = () => calls.find(({ method }) => method === 'PUT')?.body
const choose = async (label: string, option: string) => {
  fireEvent.mouseDown(level(2).getByLabelText(label))
  fireEvent.click(await screen.findByTitle(option))
}
const level = (number: number) => within(screen.getByRole('group', { name: `Level ${number}` }))

test('[A2.54] the tab shows the flows that hold here, for system administrators; it leads to one of them, and to changing it but in the root organization', async () => {
  show(<TicketList title="Tickets" />, '/tickets/tickets?activeTab=TicketFlow', '/tickets/tickets', ROUTES)
  const link = await screen.findByRole('link', { name: 'Apply for asset' })
  expect(link.getAttribute('href')).toBe('/tickets/tickets/flow/f1')
  const row = within(link.closest('tr') as HTMLElement)
  expect(row.getByText('Default')).toBeDefined()
  expect(isGreyed(row.getByRole('button', { name: /^Update(?!d)/ }))).toBe(false)
  expect(screen.queryByRole('button', { name: 'Create' })).toBeNull()
  cleanup()
  const root = { id: ROOT, name: 'Root' }
  signIn({ org: root, orgs: [root] })
  show(<TicketList title="Tickets" />, '/tickets/tickets?activeTab=TicketFlow', '/tickets/tickets', ROUTES)
  expect(isGreyed(await screen.findByRole('button', { name: /^Update(?!d)/ }))).toBe(true)
})

test('[A2.54] a second level starts with the system administrators; people named one by one must be chosen', async () => {
  const { router } = update()
  expect(await screen.findByRole('group', { name: 'Level 1' })).toBeDefined()
  expect(screen.queryByRole('group', { name: 'Level 2' })).toBeNull()
  expect(await screen.findByLabelText('Type')).toHaveProperty('disabled', true)
  fireEvent.click(screen.getByLabelText('Two level'))
  expect(await screen.findByRole('group', { name: 'Level 2' })).toBeDefined()
  expect(level(2).getByDisplayValue('Super admin')).toBeDefined()
  expect(level(2).queryByLabelText('Assignees')).toBeNull()
  await choose('Approvers', 'Custom user')
  await level(2).findByLabelText('Assignees')
  submit()
  expect(await level(2).findByText('This field is required')).toBeDefined()
  expect(body()).toBeUndefined()
  await choose('Assignees', 'Eve(eve)')
  submit()
  await waitFor(() => expect(body()).toBeDefined())
  expect(body()).toEqual({
    type: 'apply_asset',
    approval_level: 2,
    rules: [
      { strategy: 'super_admin', assignees: [] },
      { strategy: 'custom_user', assignees: ['u7'] },
    ],
  })
  expect(calls.find(({ path }) => path.startsWith('/api/v1/users/'))?.query.get('all')).toBe('true')
  await waitFor(() =>
    expect(`${router.state.location.pathname}${router.state.location.search}`).toBe(
      '/tickets/tickets?activeTab=TicketFlow',
    ),
  )
})

test('[A2.54] rules are shown in the order of their levels, and only those of the chosen levels are sent', async () => {
  stored = two
  update()
  expect(await screen.findByRole('group', { name: 'Level 2' })).toBeDefined()
  expect(await level(1).findByDisplayValue('Org admin')).toBeDefined()
  expect(await level(2).findByText('Eve')).toBeDefined()
  fireEvent.click(screen.getByLabelText('One level'))
  submit()
  await waitFor(() =>
    expect(body()).toEqual({
      type: 'apply_asset',
      approval_level: 1,
      rules: [{ strategy: 'org_admin', assignees: [] }],
    }),
  )
})

test('[A2.54] a refusal about the people of a level is shown under them', async () => {
  stored = two
  answer = { status: 400, body: { rules: [{}, { assignees: ['Somebody has left'] }] } }
  update()
  expect(await screen.findByRole('group', { name: 'Level 2' })).toBeDefined()
  submit()
  expect(await level(2).findByText('Somebody has left')).toBeDefined()
})

test('[A2.54] one flow tells its levels, the way of each and its people', async () => {
  stored = two
  show(
    <DetailPage pages={flowPages} base="Flow" title="Ticket flow" />,
    '/tickets/tickets/flow/f1',
    ROUTES.FlowDetail,
    ROUTES,
  )
  for (const text of ['Two level', 'System', 'Custom user', 'Eve', 'Org admin', 'Ada'])
    expect(await screen.findByText(text)).toBeDefined()
  expect(screen.queryByRole('button', { name: /Update|Delete/ })).toBeNull()
})
