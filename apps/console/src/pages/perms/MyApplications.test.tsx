import { grantedApplication } from '@sallyport/contract/resources/perms/granted-application.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { clientLines, kubectlLine } from './client/client-lines.ts'
import { MyDatabases, MyKubernetes } from './MyApplications.page.tsx'

const STOCK = {
  id: 'a1',
  name: 'stock',
  category: 'db',
  type: 'postgresql',
  type_display: 'PostgreSQL',
  attrs: { host: '10.0.0.5', port: 5432, database: 'ware house' },
}
const LEDGER = { ...STOCK, id: 'a2', name: 'ledger', type: 'db2', type_display: 'Db2' }
const ACCOUNTS = [
  { id: 's1', name: 'reports', username: 'report', login_mode: 'auto' },
  { id: 's2', name: 'typed', username: '', login_mode: 'manual' },
  { id: 's3', name: 'owner', username: 'owner', login_mode: 'auto' },
]

function applicationsServer({ method, path }: Call) {
  if (method === 'OPTIONS') return { body: metadataFor(grantedApplication) }
  if (method === 'POST') return { status: 201, body: { token: 'T0KEN' } }
  if (path.endsWith('/system-users/')) return { body: ACCOUNTS }
  return { body: { count: 2, next: null, previous: null, results: [STOCK, LEDGER] } }
}

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('[A2.64] a database gives a line for psql as the account that was chosen; what asks for a password each time is not offered', async () => {
  signIn({ settings: { DATABASE_PORTS: { postgresql: 6432 } } })
  const calls = serve(applicationsServer)
  show(<MyDatabases title="Databases" />, '/', '/')
  await userEvent.click(await screen.findByRole('button', { name: 'Connect to stock' }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.click(await dialog.findByRole('radio', { name: /owner/ }))
  expect(dialog.queryByRole('radio', { name: /typed/ })).toBeNull()
  expect(calls.filter(({ method }) => method === 'POST')).toEqual([])
  await userEvent.click(dialog.getByRole('button', { name: 'Get a line to copy' }))
  await dialog.findByText('psql "postgresql://T0KEN@localhost:6432/ware%20house?sslmode=require"')
  dialog.getByText(/Valid for 5 minutes/)
  expect(calls.find(({ method }) => method === 'POST')?.body).toEqual({ application: 'a1', system_user: 's3' })
  // Another account needs another token.
  await userEvent.click(dialog.getByRole('radio', { name: /reports/ }))
  await waitFor(() => expect(dialog.queryByText(/T0KEN/)).toBeNull())
})

test('[A2.64] databases open in the web terminal; what cannot be connected to says so in the list, before anybody presses', async () => {
  signIn({ settings: { DATABASE_PORTS: {} } })
  serve(applicationsServer)
  show(<MyDatabases title="Databases" />, '/', '/')
  const reason = async (name: string) =>
    within((await screen.findByText(name)).closest('tr') as HTMLElement).getByText('Not possible yet').title
  expect(await reason('ledger')).toBe('Connecting to Db2 is not possible yet.')
  const links = screen.getAllByRole('link', { name: /in the web terminal/ })
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/luna/connect?login_to=a1&type=database_app'])
  const benches = screen.getAllByRole('link', { name: /in the workbench/ })
  expect(benches.map((link) => link.getAttribute('href'))).toEqual([
    '/luna/connect?login_to=a1&type=database_app&view=workbench',
  ])
  expect(screen.queryByRole('button', { name: /Connect to/ })).toBeNull()
})

test('[A2.64] a cluster gives a file for kubectl, with the line that uses it', async () => {
  const cluster = {
    ...STOCK,
    id: 'c1',
    name: 'our shop',
    category: 'cloud',
    type: 'k8s',
    attrs: { cluster: 'https://k' },
  }
  signIn({ settings: { DATABASE_PORTS: { k8s: 6443 } } })
  const calls = serve((call) => {
    if (call.path.endsWith('/kubeconfig/')) return { body: 'kind: Config' }
    if (call.method === 'GET' && !call.path.endsWith('/system-users/'))
      return { body: { count: 1, next: null, previous: null, results: [cluster] } }
    return applicationsServer(call)
  })
  const made = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:the-file')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  show(<MyKubernetes title="Kubernetes" />, '/', '/')
  const shell = await screen.findByRole('link', { name: 'Open our shop in the web terminal' })
  expect(shell.getAttribute('href')).toBe('/luna/connect?login_to=c1&type=k8s_app')
  await userEvent.click(await screen.findByRole('button', { name: 'Connect to our shop' }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.click(await dialog.findByRole('button', { name: 'Get a file for kubectl' }))
  const link = await dialog.findByRole('link', { name: 'Save the file' })
  expect([link.getAttribute('href'), link.getAttribute('download')]).toEqual(['blob:the-file', 'our-shop.kubeconfig'])
  dialog.getByText('kubectl --kubeconfig our-shop.kubeconfig get pods')
  expect(made).toHaveBeenCalledOnce()
  expect(calls.find(({ method }) => method === 'POST')?.body).toEqual({ application: 'c1', system_user: 's1' })
})

test('names in a line mean nothing to a shell', () => {
  expect(kubectlLine('生产 $(b)')).toBe("kubectl --kubeconfig '生产-b.kubeconfig' get pods")
  const [mysql] = clientLines('mysql', { host: 'gate.test', port: 3306, user: 'T', database: `a$(b)'` })
  expect(mysql?.line).toBe(`mysql --host=gate.test --port=3306 --user=T 'a$(b)'\\'''`)
  const [psql] = clientLines('postgresql', { host: 'gate.test', port: 5432, user: 'T', database: `a"b$(c)'!` })
  expect(psql?.line).toBe('psql "postgresql://T@gate.test:5432/a%22b%24%28c%29%27%21?sslmode=require"')
  const [redis] = clientLines('redis', { host: 'gate.test', port: 6379, user: 'T', database: '3' })
  expect(redis?.line).toBe('redis-cli -h gate.test -p 6379 --tls --insecure --user T --pass any')
})
