import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { Banners, licenseWarning } from '../../app/shell/Banners.tsx'
import { type Call, serve, show, signIn } from '../../test/harness.tsx'
import { InterfaceSetting } from './InterfaceSetting.page.tsx'
import { License } from './License.tsx'

const NONE = {
  subscription_id: '',
  corporation: '',
  date_expired: null,
  asset_count: null,
  edition: 'Community edition',
}
const VALID = {
  subscription_id: 'S-1',
  corporation: 'Harbour Ltd',
  date_expired: '2030-01-31',
  asset_count: null,
  edition: 'Enterprise edition',
}
const LICENSED = { settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: true } }
const UNLICENSED = { settings: { XPACK_ENABLED: true, XPACK_LICENSE_IS_VALID: false } }

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const sent = (calls: readonly Call[], method: string) => calls.filter((call) => call.method === method)
const stubReload = () => {
  const reload = vi.fn()
  vi.stubGlobal('location', { pathname: '/', search: '', origin: location.origin, href: location.href, reload })
  return reload
}

test('[A6.37 B6.03 B9.20 A2.75] the license banner warns in the last days and after the end, with the date', () => {
  const now = new Date(2030, 0, 25, 15)
  expect(licenseWarning('2030-02-01', now)).toBeUndefined()
  expect(licenseWarning('2030-01-31', now)).toBe('The license expires in 6 days, on 2030-01-31.')
  expect(licenseWarning('2030-01-25', now)).toBe('The license expires today, 2030-01-25.')
  expect(licenseWarning('2030-01-24', now)).toBe('The license expired on 2030-01-24.')
  expect([licenseWarning(null, now), licenseWarning(undefined, now)]).toEqual([undefined, undefined])
})

test('[A6.37 B6.03 B3.14] only a system administrator asks about the license, and sees its last day', async () => {
  const calls = serve(() => ({ body: { ...VALID, date_expired: '2020-01-01' } }))
  signIn(UNLICENSED)
  show(<Banners />, '/', '/')
  expect(await screen.findByText('The license expired on 2020-01-01.')).toBeDefined()
  cleanup()
  const { profile } = signIn(UNLICENSED)
  signIn({ ...UNLICENSED, profile: { ...profile, role: 'User' } })
  show(<Banners />, '/', '/')
  expect(calls.map(({ method, path }) => [method, path])).toEqual([['GET', '/api/v1/xpack/license/detail']])
})

test('[A4.06] without a license the card says so; a file that is none shows the server’s words and stays', async () => {
  signIn(UNLICENSED)
  const reload = stubReload()
  const calls = serve(({ method }) => ({
    body: method === 'GET' ? NONE : { status: false, msg: 'no license of this installation' },
  }))
  show(<License />, '/', '/')
  expect(await screen.findByText('Community edition')).toBeDefined()
  expect(screen.getByText('Import a license to unlock everything that needs one.')).toBeDefined()
  await userEvent.upload(screen.getByLabelText('Import license', { selector: 'input' }), new File(['x'], 'license.txt'))
  expect(await screen.findByText('no license of this installation')).toBeDefined()
  const body = sent(calls, 'POST')[0]?.body as FormData
  expect(body.get('file')).toBeInstanceOf(File)
  expect(reload).not.toHaveBeenCalled()
})

test('[A4.06 B7.08] with a license the card shows it; another one is imported and the page loaded again', async () => {
  signIn(LICENSED)
  const reload = stubReload()
  serve(({ method }) => ({ body: method === 'GET' ? VALID : { status: true, msg: 'imported' } }))
  show(<License />, '/', '/')
  for (const text of ['S-1', 'Harbour Ltd', '2030-01-31', 'Enterprise edition'])
    expect(await screen.findByText(text)).toBeDefined()
  await userEvent.upload(screen.getByLabelText('Import license', { selector: 'input' }), new File(['x'], 'license.txt'))
  await waitFor(() => expect(reload).toHaveBeenCalled())
})

test('[A4.06] the license for Community is shown as one without end, and nobody is warned of it', async () => {
  signIn(LICENSED)
  serve(() => ({
    body: { ...VALID, corporation: 'Community', date_expired: '9999-12-31', edition: 'Community edition' },
  }))
  show(<License />, '/', '/')
  for (const text of ['Community', 'No end', 'Community edition']) expect(await screen.findByText(text)).toBeDefined()
  expect(screen.queryByText('9999-12-31')).toBeNull()
  expect(licenseWarning('9999-12-31')).toBeUndefined()
})

test('[A2.59] title and chosen pictures are sent, and only those; a refusal is at its field', async () => {
  signIn(LICENSED)
  const reload = stubReload()
  let refuse = true
  const stored = {
    login_title: 'Harbour',
    login_image: '/static/img/login-image.svg',
    favicon: '',
    logo_index: '/media/interface/logo_index/1/',
    logo_logout: '',
  }
  const calls = serve(({ method }) => {
    if (method === 'GET') return { body: stored }
    return refuse ? { status: 400, body: { favicon: ['This picture is too large for its place'] } } : { body: stored }
  })
  show(<InterfaceSetting title="Interface settings" />, '/', '/')
  const title = await screen.findByLabelText('Title of login page')
  await userEvent.clear(title)
  await userEvent.type(title, ' 港口 ')
  // How it will look is beside it, while it is typed.
  const preview = within(screen.getByRole('complementary', { name: 'Preview' }))
  expect(preview.getAllByText('港口')).toHaveLength(2)
  // Built-in pictures are not theirs.
  expect([...document.querySelectorAll('.form img')].map((image) => image.getAttribute('src'))).toEqual([
    stored.logo_index,
  ])
  const [, icon] = screen.getAllByLabelText('Select file', { selector: 'input' }) as HTMLInputElement[]
  await userEvent.upload(icon as HTMLInputElement, new File(['x'], 'icon.png', { type: 'image/png' }))
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText('This picture is too large for its place')).toBeDefined()
  refuse = false
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(reload).toHaveBeenCalled())
  const body = sent(calls, 'PUT')[1]?.body as FormData
  expect([...body.keys()].sort()).toEqual(['favicon', 'login_title'])
  expect(body.get('login_title')).toBe('港口')
})

test('[A2.59] restoring the default is asked for first', async () => {
  signIn(LICENSED)
  const reload = stubReload()
  const calls = serve(({ path }) => ({ body: path.endsWith('restore') ? { success: 'back' } : { login_title: '' } }))
  show(<InterfaceSetting title="Interface settings" />, '/', '/')
  const restored = () => calls.filter(({ path }) => path.endsWith('restore')).length
  await userEvent.click(await screen.findByRole('button', { name: 'Restore default' }))
  const confirm = await screen.findByRole('button', { name: 'Confirm' })
  expect(restored()).toBe(0)
  await userEvent.click(confirm)
  await waitFor(() => expect(reload).toHaveBeenCalled())
  expect(restored()).toBe(1)
})
