import { gateway } from '@sallyport/contract/resources/assets/gateway.ts'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { ListPage } from '../../generic/list/ListPage.tsx'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { gatewayPages } from './gateway.page.tsx'

const EDGE = { id: 'g1', name: 'edge', ip: '10.0.0.9', port: 22, protocol: 'ssh', username: 'jump', is_active: true }

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Opens the question for the port, answers it, and has the connection tried. */
async function tryPort(port: string) {
  signIn()
  const calls = serve(({ method }) => {
    if (method === 'OPTIONS') return { body: metadataFor(gateway) }
    return { body: method === 'GET' ? { count: 1, next: null, previous: null, results: [EDGE] } : {} }
  })
  show(<ListPage pages={gatewayPages} base="Gateway" title="Gateways" />, '/', '/')
  const row = within((await screen.findByText('edge')).closest('tr') as HTMLElement)
  await userEvent.click(row.getByRole('button', { name: /More/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Test connection' }))
  const dialog = within(await screen.findByRole('dialog'))
  const field = await dialog.findByLabelText('SSH port')
  await userEvent.clear(field)
  await userEvent.type(field, port)
  const fault = dialog.queryByRole('alert')?.textContent
  await userEvent.click(dialog.getByRole('button', { name: 'Test' }))
  return { fault, tried: () => calls.filter(({ method }) => method === 'POST').map(({ body }) => body) }
}

test('[B8.19] a gateway that was reached is reported', async () => {
  const { fault, tried } = await tryPort('2222')
  await screen.findByText('The test succeeded')
  expect([fault, tried()]).toEqual([undefined, [{ port: 2222 }]])
})

test('[A5.07] a port that is none is reported beside it, and not tried', async () => {
  const { fault, tried } = await tryPort('70000')
  expect(fault).toContain('Port Error, please check')
  expect((await screen.findByRole('alert')).textContent).toContain('Port Error, please check')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(tried()).toEqual([])
})
