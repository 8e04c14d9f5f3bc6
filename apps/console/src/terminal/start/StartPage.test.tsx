import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serve } from '../../test/harness.tsx'
import { StartPage } from './StartPage.tsx'

const asset = (id: string, ip: string) => ({
  id,
  name: id,
  title: ip,
  pId: '',
  isParent: false,
  meta: { type: 'asset', data: { id, hostname: id, ip } },
})
const database = {
  id: 'db',
  name: 'web-shop',
  title: 'web-shop',
  pId: 'applications',
  isParent: false,
  meta: { type: 'application', data: { id: 'db', type: 'mysql' } },
}

beforeEach(() => {
  serve(({ path, query }) => {
    if (path.endsWith('/recent-targets/'))
      return {
        body: [
          {
            ...{ target_family: 'asset', target_id: 'a1', asset: 'pay-02(10.0.0.2)', protocol: 'ssh' },
            ...{ system_user_id: 'u1', system_user: 'Deploy(deploy)', date_start: new Date().toISOString() },
          },
        ],
      }
    if (path.endsWith('/favorite/assets/'))
      return { body: { count: 1, results: [{ id: 'f1', hostname: 'gate-1', ip: '10.0.0.9', is_active: true }] } }
    if (path.endsWith('/users/assets/tree/'))
      return {
        body: [asset('old-web', '10.1.0.2'), asset('web-1', '10.1.0.1')].filter(({ name }) =>
          name.includes(query.get('search') ?? ''),
        ),
      }
    if (path.endsWith('/applications/tree/')) return { body: [database] }
    return undefined
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function show() {
  const onConnect = vi.fn()
  render(<StartPage isWithoutGrants={false} isFirst onConnect={onConnect} />)
  return { onConnect, field: screen.getByRole('combobox') }
}

test('an empty workspace offers where the person was last, as whom and when, and their favorites', async () => {
  const { onConnect, field } = show()
  expect(document.activeElement).toBe(field)
  const recent = within(await screen.findByRole('region', { name: 'Recent' }))
  const last = recent.getByRole('button', { name: /^pay-02 10\.0\.0\.2 ?Deploy · SSH/ })
  expect(last.querySelector('time')?.textContent).toBeTruthy()
  await userEvent.click(last)
  expect(onConnect).toHaveBeenLastCalledWith(
    { family: 'asset', id: 'a1', name: 'pay-02', inactive: false },
    { systemUser: 'u1' },
  )
  await userEvent.click(screen.getByRole('button', { name: /gate-1/ }))
  expect(onConnect).toHaveBeenLastCalledWith({ family: 'asset', id: 'f1', name: 'gate-1', inactive: false })
})

test('a name and Enter connect, also before the answer has come; arrows choose another of those found', async () => {
  const { onConnect, field } = show()
  await userEvent.type(field, 'web{Enter}')
  await vi.waitFor(() =>
    expect(onConnect).toHaveBeenLastCalledWith({ family: 'asset', id: 'web-1', name: 'web-1', inactive: false }),
  )
  const found = await screen.findAllByRole('option')
  expect(found.map(({ textContent }) => textContent)).toEqual(['web-110.1.0.1', 'web-shopmysql', 'old-web10.1.0.2'])
  await userEvent.type(field, '{ArrowDown}')
  expect(screen.getAllByRole('option', { selected: true }).map(({ textContent }) => textContent)).toEqual([
    'web-shopmysql',
  ])
  await userEvent.type(field, '{Enter}')
  expect(onConnect).toHaveBeenLastCalledWith({ family: 'application', id: 'db', name: 'web-shop', inactive: false })
})

test('a search without a match says so, and Escape empties the field', async () => {
  const { onConnect, field } = show()
  await userEvent.type(field, 'nowhere{Enter}')
  await screen.findByText('Nothing matches')
  expect(onConnect).not.toHaveBeenCalled()
  await userEvent.type(field, '{Escape}')
  expect((field as HTMLInputElement).value).toBe('')
})
