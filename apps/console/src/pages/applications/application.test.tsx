import { application } from '@sallyport/contract/resources/applications/application.ts'
import {
  APPLICATION_ATTRS,
  type ApplicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { DetailPage } from '../../generic/detail/DetailPage.tsx'
import { FormPage } from '../../generic/form/FormPage.tsx'
import { ListPage } from '../../generic/list/ListPage.tsx'
import { type Call, fieldMetadata, isGreyed, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { pages } from './application.page.tsx'

const WAREHOUSE = {
  id: 'a1',
  name: 'warehouse',
  category: 'db',
  type: 'postgresql',
  type_display: 'PostgreSQL',
  attrs: { host: 'db.test', port: 5432, database: 'stock' },
}
const PORTAL = {
  id: 'a2',
  name: 'portal',
  category: 'remote_app',
  type: 'chrome',
  type_display: 'Chrome',
  attrs: { asset: 'm1', asset_info: { id: 'm1', hostname: 'desk-01' }, path: 'C:\\chrome.exe' },
}

/** Describes `attrs` as the server does: by the type that the address names. */
function applicationServer(refusal?: unknown) {
  return ({ method, path, query, body }: Call) => {
    if (method === 'OPTIONS') {
      const metadata = metadataFor(application)
      const inside = Object.entries(APPLICATION_ATTRS[query.get('type') as ApplicationType] ?? {})
      for (const fields of Object.values(metadata.actions))
        Object.assign(fields.attrs ?? {}, {
          shape_by: 'type',
          children: Object.fromEntries(inside.map(([name, field]) => [name, fieldMetadata(field)])),
        })
      return { body: metadata }
    }
    if (method === 'POST' && refusal) return { status: 400, body: refusal }
    if (method === 'POST') return { body: { id: 'new', ...(body as object) } }
    if (path.endsWith('/applications/')) return { body: { count: 1, next: null, previous: null, results: [PORTAL] } }
    return path.startsWith('/api/v1/applications') ? { body: path.includes('a2') ? PORTAL : WAREHOUSE } : undefined
  }
}
const posted = (calls: readonly Call[]) => calls.find(({ method }) => method === 'POST')?.body
const submit = () => userEvent.click(screen.getByRole('button', { name: 'Submit' }))
const create = (query: string) =>
  show(
    <FormPage pages={pages.DatabaseApp} base="DatabaseApp" title="Create database" mode="create" />,
    `/create?${query}`,
    '/create',
    { DatabaseAppDetail: '/applications/databases/:id' },
  )

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A2.23 A3.24] a new database is of the type that was chosen, with the port of that type', async () => {
  signIn()
  const calls = serve(applicationServer())
  const { router } = create('type=postgresql')
  await userEvent.type(await screen.findByLabelText('Name'), 'stock')
  await userEvent.type(await screen.findByLabelText('Host'), 'db.test')
  await userEvent.type(screen.getByLabelText('Database'), 'warehouse')
  await submit()
  await waitFor(() =>
    expect(posted(calls)).toMatchObject({
      name: 'stock',
      category: 'db',
      type: 'postgresql',
      attrs: { host: 'db.test', port: 5432, database: 'warehouse' },
    }),
  )
  await waitFor(() => expect(router.state.location.pathname).toBe('/applications/databases/new'))
})

test('a database that was tried with a stand-in alone says so beside its type; others say nothing', async () => {
  signIn()
  serve(applicationServer())
  const { unmount } = create('type=sqlserver')
  expect((await screen.findByLabelText('Type')).getAttribute('aria-describedby')).toBeTruthy()
  screen.getByText('Not yet tried with the product itself: begin with a small part.')
  unmount()
  create('type=postgresql')
  await screen.findByLabelText('Type')
  expect(screen.queryByText(/Not yet tried/)).toBeNull()
})

test('[B5.09] the fault of an attribute is shown beside it', async () => {
  signIn()
  serve(applicationServer({ attrs: { host: ['No such host'] } }))
  create('type=mysql')
  await userEvent.type(await screen.findByLabelText('Name'), 'stock')
  await userEvent.type(await screen.findByLabelText('Host'), 'db.test')
  await userEvent.type(screen.getByLabelText('Database'), 'warehouse')
  await submit()
  const host = await screen.findByLabelText('Host')
  await waitFor(() => expect(host.getAttribute('aria-invalid')).toBe('true'))
  expect(document.getElementById(host.getAttribute('aria-describedby') ?? '')?.textContent).toBe('No such host')
})

test('[A2.23] types that need a license are offered while there is one', async () => {
  const offered = async (settings: Record<string, unknown>) => {
    signIn({ settings })
    serve(applicationServer())
    show(<ListPage pages={pages.DatabaseApp} base="DatabaseApp" title="Databases" />, '/', '/', {
      DatabaseAppCreate: '/create',
    })
    await userEvent.click(await screen.findByRole('button', { name: /Create/ }))
    const names = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)
    cleanup()
    return names
  }
  expect(await offered({})).toEqual(['MySQL', 'Redis'])
  expect(await offered({ XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true })).toEqual([
    'MySQL',
    'Oracle',
    'PostgreSQL',
    'MariaDB',
    'SQLServer',
    'Redis',
  ])
})

test('[A2.22] a remote app leads to the machine that it is started on, in the list and on its page', async () => {
  signIn()
  serve(applicationServer())
  const routes = { AssetDetail: '/assets/assets/:id' }
  show(<ListPage pages={pages.RemoteApp} base="RemoteApp" title="Remote apps" />, '/', '/', routes)
  expect((await screen.findByRole('link', { name: 'desk-01' })).getAttribute('href')).toBe('/assets/assets/m1')
  cleanup()
  show(<DetailPage pages={pages.RemoteApp} base="RemoteApp" title="Remote app detail" />, '/a2', '/:id', routes)
  expect((await screen.findByRole('link', { name: 'desk-01' })).getAttribute('href')).toBe('/assets/assets/m1')
})

test('[A2.23] a moved database says that nothing is sent to it, and shows which keys its server has had', async () => {
  signIn()
  const there = { protocol: 'postgresql/5432', address: '10.0.0.9', domain: null, gateway: null }
  const key = {
    id: 'k1',
    host: '10.0.0.8',
    port: 5432,
    fingerprint: 'SHA256:abc',
    date_first_seen: '',
    date_accepted: null,
  }
  const answer = applicationServer()
  const calls = serve((call) => {
    if (call.path.endsWith('/a1/destinations/')) return { body: { unconfirmed: [there], confirmed: [] } }
    if (call.path.endsWith('/server-keys/')) return { body: [{ ...key, state: 'refused', date_last_seen: '' }] }
    return answer(call)
  })
  show(<DetailPage pages={pages.DatabaseApp} base="DatabaseApp" title="Database detail" />, '/a1', '/:id')
  expect((await screen.findByRole('alert')).textContent).toContain('not sent to 10.0.0.9 (postgresql/5432)')
  expect(screen.getByText('This application was moved')).toBeDefined()
  await screen.findByText('SHA256:abc')
  await userEvent.click(screen.getByRole('button', { name: 'Trust' }))
  await userEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Trust' }))
  await waitFor(() => expect(calls.some(({ path }) => path === '/api/v1/assets/server-keys/accept/')).toBe(true))
  expect(calls.find(({ path }) => path.endsWith('/server-keys/'))?.query.get('target')).toBe('a1')
})

test('a new database leads on to the first query: its account is tried before people get access, on one page', async () => {
  const ACCOUNTS = '/api/v1/assets/system-users/'
  const PERMISSIONS = '/api/v1/perms/application-permissions/'
  const permissions: object[] = []
  let isRight = false
  const calls = serve((call) => {
    const { method, path, body } = call
    if (path.endsWith('/try-login/'))
      return isRight ? { status: 204 } : { status: 400, body: { password: ['The server refused the login'] } }
    if (path.startsWith(ACCOUNTS)) return { body: { id: 's1', ...(body as object) } }
    if (path === PERMISSIONS && method === 'POST') {
      permissions.push(body as object)
      return { status: 201, body: { id: 'p1' } }
    }
    if (path === PERMISSIONS) return { body: { count: permissions.length, results: permissions } }
    if (path === '/api/v1/users/users/')
      return { body: { count: 1, results: [{ id: 'u1', name: 'Ada', username: 'ada' }] } }
    return applicationServer()(call)
  })
  const made = create('type=postgresql')
  await userEvent.type(await screen.findByLabelText('Name'), 'warehouse')
  await userEvent.type(screen.getByLabelText('Host'), 'db.test')
  await userEvent.type(screen.getByLabelText('Database'), 'stock')
  await submit()
  await waitFor(() => expect(made.router.state.location.pathname).toBe('/applications/databases/new'))
  const { pathname, search } = made.router.state.location
  cleanup()
  const { router } = show(
    <DetailPage pages={pages.DatabaseApp} base="DatabaseApp" title="Database detail" />,
    `${pathname}${search}`,
    '/applications/databases/:id',
  )
  const steps = within(await screen.findByRole('region', { name: 'Next steps' }))
  const test = steps.getByRole('button', { name: 'Test' })
  expect(isGreyed(test)).toBe(true)
  await userEvent.type(steps.getByLabelText('Username'), 'reader')
  await userEvent.type(steps.getByLabelText('Password'), 'wrong')
  await userEvent.click(test)
  await steps.findByText('The server refused the login')
  expect(permissions).toEqual([])
  isRight = true
  await userEvent.clear(steps.getByLabelText('Password'))
  await userEvent.type(steps.getByLabelText('Password'), 'right')
  await userEvent.click(test)
  await steps.findByText('The database lets the account in')
  await userEvent.click(steps.getByRole('button', { name: 'Give access' }))
  await waitFor(() => expect(steps.getAllByRole('listitem')[0]?.dataset.done).toBe('true'))
  const ofAccount = calls.filter(({ method, path }) => method !== 'GET' && path.startsWith(ACCOUNTS))
  // Made once, then changed.
  expect(ofAccount.map(({ method, body }) => [method, (body as { password: string }).password])).toEqual([
    ['POST', 'wrong'],
    ['PATCH', 'right'],
    ['PATCH', 'right'],
  ])
  expect(ofAccount[0]?.body).toMatchObject({ username: 'reader', protocol: 'postgresql', auto_push: false })
  expect(permissions).toEqual([
    expect.objectContaining({
      ...{ category: 'db', type: 'postgresql', applications: ['a1'] },
      ...{ users: ['u1'], system_users: ['s1'] },
    }),
  ])
  expect(steps.getByRole('link', { name: 'Open the workbench' }).getAttribute('href')).toContain('login_to=a1')
  await userEvent.click(steps.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('region', { name: 'Next steps' })).toBeNull()
  expect(router.state.location.search).toBe('')
})

test('the form of a new database holds its account: tried before anybody has access, then stored with who gets it', async () => {
  const ACCOUNTS = '/api/v1/assets/system-users/'
  const PERMISSIONS = '/api/v1/perms/application-permissions/'
  let isRight = false
  const calls = serve((call) => {
    const { method, path, body } = call
    if (path.endsWith('/try-login/'))
      return isRight ? { status: 204 } : { status: 400, body: { password: ['The server refused the login'] } }
    if (path.startsWith(ACCOUNTS)) return { body: { id: 's1', ...(body as object) } }
    if (path === PERMISSIONS) return { status: 201, body: { id: 'p1' } }
    if (path === '/api/v1/users/users/')
      return { body: { count: 1, results: [{ id: 'u1', name: 'Ada', username: 'ada' }] } }
    if (method === 'PUT') return { body: { id: 'new', ...(body as object) } }
    return applicationServer()(call)
  })
  const { router } = create('type=postgresql')
  await userEvent.type(await screen.findByLabelText('Name'), 'warehouse')
  await userEvent.type(screen.getByLabelText('Host'), 'db.test')
  await userEvent.type(screen.getByLabelText('Database'), 'stock')
  await userEvent.type(screen.getByLabelText('Username'), 'reader')
  const test = screen.getByRole('button', { name: 'Save and test' })
  await userEvent.click(test)
  await screen.findByText('This field is required')
  await userEvent.type(screen.getByLabelText('Password'), 'wrong')
  await userEvent.click(test)
  await screen.findByText('The server refused the login')
  isRight = true
  await userEvent.clear(screen.getByLabelText('Password'))
  await userEvent.type(screen.getByLabelText('Password'), 'right')
  await userEvent.click(test)
  await screen.findByText('The database lets the account in')
  const sent = () => calls.filter(({ method }) => !['GET', 'OPTIONS'].includes(method))
  expect(sent().some(({ path }) => path === PERMISSIONS)).toBe(false)
  await submit()
  await waitFor(() => expect(router.state.location.pathname).toBe('/applications/databases/new'))
  // Each is made once, and changed from then on.
  expect(sent().map(({ method, path }) => `${method} ${path}`)).toEqual([
    `POST ${application.path}`,
    `POST ${ACCOUNTS}`,
    `POST ${application.path}new/try-login/`,
    `PUT ${application.path}new/`,
    `PATCH ${ACCOUNTS}s1/`,
    `POST ${application.path}new/try-login/`,
    `PUT ${application.path}new/`,
    `PATCH ${ACCOUNTS}s1/`,
    `POST ${PERMISSIONS}`,
  ])
  expect(posted(calls)).toMatchObject({ name: 'warehouse', attrs: { host: 'db.test', port: 5432, database: 'stock' } })
  expect(Object.keys(posted(calls) as object)).not.toContain('password')
  expect(sent().at(-1)?.body).toMatchObject({ users: ['u1'], applications: ['new'], system_users: ['s1'] })
})
