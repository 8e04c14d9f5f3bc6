import { ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { openFields } from '@sallyport/contract/resources/tickets/ticket-form.ts'
import type { TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, fieldMetadata, metadataFor, serve, show, signIn } from '../../../test/harness.tsx'
import { AmendDialog } from '../AmendDialog.tsx'
import { DecisionDialog } from '../DecisionDialog.tsx'
import { RequestApplicationPerm, RequestAssetPerm } from '../RequestPerm.page.tsx'
import { TicketList } from '../TicketList.page.tsx'

const CREATE = '/tickets/tickets/request-asset-perm/create'
const OPEN = `${ticket.path}open/`
// As an ordinary person has them.
const CREATE_APPLICATION = '/tickets/tickets/request-application-perm/create'
const ROUTES = {
  TicketList: '/tickets',
  RequestAssetPermTicketCreateUpdate: CREATE,
  RequestApplicationPermTicketCreateUpdate: CREATE_APPLICATION,
}
const orgs = [
  { id: 'o1', name: 'Ours' },
  { id: 'o2', name: 'Theirs' },
]
const suggestions: Record<string, object[]> = {
  nodes: [{ id: 'n1', full_value: '/Default/Web' }],
  assets: [{ id: 'a1', hostname: 'web-1', protocols: ['ssh/22'] }],
  applications: [{ id: 'd1', name: 'stock' }],
  'system-users': [{ id: 's1', name: 'deploy', username: '', username_same_with_user: true }],
}
const formOf = (type: TicketType) => ({
  actions: {
    POST: Object.fromEntries(Object.entries(openFields(type)).map(([name, one]) => [name, fieldMetadata(one)])),
  },
})

let calls: Call[]
let answer: { status?: number; body?: unknown }

function asPerson(user_all_orgs: object[]) {
  signIn({
    bits: 1,
    role: 1,
    org: undefined,
    orgs: [],
    profile: { id: 'u2', name: 'Bob', username: 'bob', role: 'User', user_all_orgs } as never,
  })
}

beforeEach(() => {
  localStorage.clear()
  asPerson(orgs)
  answer = { status: 201, body: { id: 't1' } }
  calls = serve(({ method, path, query }) => {
    if (method === 'OPTIONS')
      return { body: query.get('action') === 'open' ? formOf(query.get('type') as TicketType) : metadataFor(ticket) }
    const [, list] = /([a-z-]+)\/suggestions\/$/.exec(path) ?? []
    if (list) return { body: suggestions[list] }
    if (path === OPEN) return answer
    return { body: { count: 0, next: null, previous: null, results: [] } }
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const open = () => show(<RequestAssetPerm title="Create ticket" />, CREATE, CREATE, ROUTES)
const choose = async (label: string, option: string) => {
  fireEvent.mouseDown(await screen.findByLabelText(label))
  fireEvent.click(await screen.findByTitle(option))
}
const name = async (title: string) =>
  fireEvent.change(await screen.findByLabelText('Title'), { target: { value: title } })
const sent = () => calls.find(({ path }) => path === OPEN)

test('[A2.66 A2.49] from the list somebody goes to the request, which offers what is in the organization and is sent as the ticket of its type', async () => {
  const list = show(<TicketList title="Tickets" />, '/tickets', '/tickets', ROUTES)
  await userEvent.click(await screen.findByRole('button', { name: /Request tickets/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Request asset access' }))
  await waitFor(() => expect(list.router.state.location.pathname).toBe(CREATE))
  expect(screen.queryByRole('tab', { name: /Flow/ })).toBeNull()
  cleanup()
  const { router } = open()
  await name('Root for the night')
  await choose('Node', '/Default/Web')
  await choose('Asset', 'web-1(ssh/22)')
  await choose('System user', 'deploy(*)')
  fireEvent.click(screen.getByText('Submit'))
  await waitFor(() => expect(router.state.location.pathname).toBe('/tickets'))
  expect(sent()?.query.get('type')).toBe('apply_asset')
  const { meta, ...basic } = (sent() as Call).body as { meta: Record<string, unknown> }
  expect(basic).toEqual({ title: 'Root for the night', type: 'apply_asset', org_id: 'o1', comment: '' })
  const hours = (Date.parse(String(meta.apply_date_expired)) - Date.parse(String(meta.apply_date_start))) / 3_600_000
  expect(Math.round(hours)).toBe(8)
  expect(meta).toMatchObject({
    apply_nodes: ['n1'],
    apply_assets: ['a1'],
    apply_system_users: ['s1'],
    apply_actions: ['connect'],
  })
  const asked = calls
    .filter(({ path }) => path.includes('suggestions'))
    .map(({ path, query }) => [path.split('/')[4], query.get('oid'), query.get('protocol__in')])
  expect(asked).toEqual([
    ['nodes', 'o1', null],
    ['assets', 'o1', null],
    ['system-users', 'o1', 'rdp,ssh,vnc,telnet'],
  ])
})

test('[A2.49] another organization takes back what was chosen in the first; neither nodes nor assets is refused before it is sent', async () => {
  open()
  await name('Root')
  await choose('Node', '/Default/Web')
  await choose('Organization', 'Theirs')
  await choose('System user', 'deploy(*)')
  fireEvent.click(screen.getByText('Submit'))
  expect(await screen.findAllByText('Choose at least one node or asset')).toHaveLength(2)
  expect(sent()).toBeUndefined()
  expect(calls.filter(({ path }) => path.includes('system-users')).map(({ query }) => query.get('oid'))).toEqual(['o2'])
  await choose('Node', '/Default/Web')
  await waitFor(() => expect(screen.queryByText('Choose at least one node or asset')).toBeNull())
})

test('[A2.49] a refusal is shown under its field, also one inside of meta; a person without an organization sees why', async () => {
  answer = { status: 400, body: { title: ['Too rude'], meta: { apply_assets: ['Not of this organization'] } } }
  const { router } = open()
  await name('Root')
  await choose('Asset', 'web-1(ssh/22)')
  await choose('System user', 'deploy(*)')
  fireEvent.click(screen.getByText('Submit'))
  const place = async (text: string) =>
    (await screen.findByText(text)).closest('.form-field')?.querySelector('label')?.textContent
  expect([await place('Too rude'), await place('Not of this organization')]).toEqual(['Title', 'Asset'])
  expect(router.state.location.pathname).toBe(CREATE)
  cleanup()
  asPerson([])
  open()
  expect(await screen.findByText(/You belong to no organization yet/)).toBeDefined()
})

const openApplication = () =>
  show(<RequestApplicationPerm title="Create ticket" />, CREATE_APPLICATION, CREATE_APPLICATION, ROUTES)
const chooseType = async (...path: string[]) => {
  await userEvent.click(await screen.findByLabelText('Type'))
  for (const step of path) await userEvent.click(await screen.findByText(step))
}

test('[A2.51 A2.66] a request for applications names the type first; the offers follow from it, and another type takes back the choice', async () => {
  openApplication()
  await name('Stock for the audit')
  expect((await screen.findByLabelText('Application')).hasAttribute('disabled')).toBe(true)
  await chooseType('Database', 'MySQL')
  await choose('Application', 'stock')
  await chooseType('Cloud', 'Kubernetes')
  await choose('System user', 'deploy(*)')
  fireEvent.click(screen.getByText('Submit'))
  await waitFor(() => expect(screen.getByLabelText('Application').getAttribute('aria-invalid')).toBe('true'))
  expect(sent()).toBeUndefined()
  await chooseType('Remote app', 'Chrome')
  await choose('Application', 'stock')
  await choose('System user', 'deploy(*)')
  fireEvent.click(screen.getByText('Submit'))
  await waitFor(() => expect(sent()?.query.get('type')).toBe('apply_application'))
  expect((sent() as Call).body).toMatchObject({
    title: 'Stock for the audit',
    type: 'apply_application',
    meta: {
      apply_category: 'remote_app',
      apply_type: 'chrome',
      apply_applications: ['d1'],
      apply_system_users: ['s1'],
    },
  })
  const asked = calls
    .filter(({ path }) => path.includes('suggestions'))
    .map(({ path, query }) => [path, query.get('oid'), query.get('type') ?? query.get('protocol')])
  expect(asked).toContainEqual(['/api/v1/applications/applications/suggestions/', 'o1', 'mysql'])
  expect(asked).toContainEqual(['/api/v1/assets/system-users/suggestions/', 'o1', 'rdp'])
})

test('an explanation leads to the request for its application with kind, application and system user filled in', async () => {
  history.replaceState(null, '', '?application=d1&system_user=s1&category=db&type=mysql')
  openApplication()
  await name('Stock for the audit')
  history.replaceState(null, '', '?')
  fireEvent.click(screen.getByText('Submit'))
  await waitFor(() => expect(sent()).toBeDefined())
  expect((sent() as Call).body).toMatchObject({
    meta: { apply_category: 'db', apply_type: 'mysql', apply_applications: ['d1'], apply_system_users: ['s1'] },
  })
})

test('[A2.51] a request without a type is not sent; what the server finds wrong with the type is beside it', async () => {
  answer = { status: 400, body: { meta: { apply_type: ['Not sold any more'] } } }
  openApplication()
  await name('Stock')
  fireEvent.click(screen.getByText('Submit'))
  await waitFor(async () => expect((await screen.findByLabelText('Type')).getAttribute('aria-invalid')).toBe('true'))
  expect(sent()).toBeUndefined()
  await chooseType('Database', 'MySQL')
  await choose('Application', 'stock')
  await choose('System user', 'deploy(*)')
  fireEvent.click(screen.getByText('Submit'))
  const refusal = await screen.findByText('Not sold any more')
  expect(refusal.closest('.form-field')?.querySelector('label')?.textContent).toBe('Type')
})

/** A request for an asset, as those see it who decide it. */
const REQUEST = {
  id: 't1',
  type: 'apply_asset',
  title: 'Deploy',
  org_id: 'o1',
  meta: {
    apply_nodes: [],
    apply_assets: ['a1'],
    apply_system_users: ['s1'],
    apply_actions: ['connect', 'upload_file'],
    apply_date_start: '2026-11-21 09:00:00',
    apply_date_expired: '2026-11-28 09:00:00',
  },
} as never

/** Serves the form of that request; `put` answers the changes. */
const serveRequest = (put: () => typeof answer) =>
  serve(({ method, path, query }) => {
    if (method === 'OPTIONS')
      return { body: query.get('action') === 'open' ? formOf('apply_asset') : metadataFor(ticket) }
    const [, list] = /([a-z-]+)\/suggestions\/$/.exec(path) ?? []
    if (list) return { body: suggestions[list] }
    if (query.has('preview'))
      return { status: 400, body: { detail: 'Nobody gains anything here.', code: 'no_preview' } }
    return method === 'PUT' ? put() : { body: [] }
  })

test('an approver allows less while accepting: the changes go first, then the decision', async () => {
  let isClosed = false
  calls = serveRequest(() => ({ body: [] }))
  show(
    <DecisionDialog
      ticket={REQUEST}
      verdict="approve"
      refresh={async () => {}}
      onClose={() => {
        isClosed = true
      }}
    />,
    '/tickets',
    '/tickets',
    ROUTES,
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Allow less, or for a shorter time…' }))
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Upload file' }))
  await userEvent.click(screen.getByRole('button', { name: 'Accept' }))
  await waitFor(() => expect(isClosed).toBe(true))
  const sent = calls.filter(({ method, query }) => method === 'PUT' && !query.has('preview'))
  expect(sent.map(({ path, body }) => [path, body])).toEqual([
    [`${ticket.path}t1/amend/`, { meta: { apply_actions: ['connect'] } }],
    [`${ticket.path}t1/approve/`, { meta: {} }],
  ])
})

test('an approver changes a request: only the changes are sent, and a refusal is shown under its field', async () => {
  let isClosed = false
  calls = serveRequest(() => answer)
  show(
    <AmendDialog ticket={REQUEST} refresh={async () => {}} onClose={() => (isClosed = true)} />,
    '/tickets',
    '/tickets',
    ROUTES,
  )
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Upload file' }))
  answer = { status: 400, body: { meta: { apply_actions: ['Not so much'] } } }
  await userEvent.click(screen.getByRole('button', { name: 'Change' }))
  expect(await screen.findByText('Not so much')).toBeTruthy()
  expect(isClosed).toBe(false)
  answer = { status: 200, body: REQUEST }
  await userEvent.click(screen.getByRole('button', { name: 'Change' }))
  await waitFor(() => expect(isClosed).toBe(true))
  const sent = calls.filter(({ method }) => method === 'PUT')
  expect(sent.map(({ path, body }) => [path, body])).toEqual(
    [0, 1].map(() => [`${ticket.path}t1/amend/`, { meta: { apply_actions: ['connect'] } }]),
  )
})
