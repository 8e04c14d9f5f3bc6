import { type FtpLog as FileRow, ftpLog } from '@sallyport/contract/resources/audits/ftp-log.ts'
import { loginLog, type LoginLog as SignInRow } from '@sallyport/contract/resources/audits/login-log.ts'
import {
  type PasswordChangeLog as PasswordRow,
  passwordChangeLog,
} from '@sallyport/contract/resources/audits/password-change-log.ts'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pageRoutes, setRoutes } from '../../navigation/routes.ts'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { MENU } from '../routes.ts'
import { FtpLog, LoginLog, PasswordChangeLog } from './logs.page.tsx'

const AT = '2026/01/31 09:00:00 +0000'
const SIGN_IN = {
  id: 'i1',
  username: 'ada',
  type: 'W',
  type_display: 'Web',
  ip: '10.0.0.8',
  city: 'LAN',
  user_agent: 'Mozilla/5.0',
  mfa: 1,
  mfa_display: 'Enabled',
  reason: '',
  reason_display: '',
  backend: 'Password',
  backend_display: 'Password',
  status: true,
  status_display: 'Success',
  datetime: AT,
  user_id: 'u1',
  browser: 'Firefox 143',
  system: 'Windows',
} as unknown as SignInRow
const FILE = {
  id: 'f1',
  user: 'Ada(ada)',
  remote_addr: '10.0.0.8',
  asset: 'web-1(10.0.0.2)',
  system_user: 'root(root)',
  org_id: 'org',
  operate: 'Upload',
  filename: '/tmp/a',
  operate_display: 'Upload',
  is_success: true,
  date_start: AT,
  user_id: 'u1',
  asset_id: 'a1',
  session_id: 's1',
  sign_in_id: 'i1',
} as FileRow
const PASSWORD = {
  id: 'p1',
  user: 'Bob(bob)',
  change_by: 'Ada(ada)',
  remote_addr: '10.0.0.8',
  datetime: AT,
  user_id: 'u2',
  change_by_id: 'u1',
  sign_in_id: 'i1',
} as PasswordRow

const LOGS = {
  [loginLog.path]: { page: <LoginLog title="Sign-in log" />, definition: loginLog },
  [ftpLog.path]: { page: <FtpLog title="File transfers" />, definition: ftpLog },
  [passwordChangeLog.path]: { page: <PasswordChangeLog title="Password changes" />, definition: passwordChangeLog },
}

const page = (results: object[]) => ({ body: { count: results.length, next: null, previous: null, results } })

/** A log with one row; a sign-in that is asked for by its id, and its one session, are there, too. */
function open(path: string, row: object) {
  const { page: shown, definition } = LOGS[path] as (typeof LOGS)[string]
  serve((call) => {
    if (call.method === 'OPTIONS') return { body: metadataFor(definition) }
    if (call.path === '/api/v1/terminal/sessions/')
      return page([{ id: 's1', user: 'Ada(ada)', asset: 'web-1(10.0.0.2)' }])
    return page([call.path === path ? row : SIGN_IN])
  })
  show(shown, '/logs', '/logs')
  setRoutes(pageRoutes(MENU.admin))
}

const hrefs = (within_: HTMLElement) =>
  within(within_)
    .getAllByRole('link')
    .map((link) => link.getAttribute('href'))

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(cleanup)

test.each([
  [loginLog.path, SIGN_IN, 'ada signed in: Password + MFA'],
  [
    loginLog.path,
    { ...SIGN_IN, status: false, reason_display: 'Wrong username or password' },
    'The sign-in of ada was rejected: Wrong username or password',
  ],
  [
    loginLog.path,
    { ...SIGN_IN, username: '', status: false, reason_display: 'Address blocked' },
    'Sign-in rejected: Address blocked',
  ],
  [ftpLog.path, FILE, 'Ada uploaded /tmp/a to web-1'],
  [ftpLog.path, { ...FILE, operate: 'Download', is_success: false }, 'Ada downloaded /tmp/a from web-1: it failed'],
  [ftpLog.path, { ...FILE, operate: 'Rename', filename: '/a=>/b' }, 'Ada renamed /a to /b on web-1'],
  [passwordChangeLog.path, PASSWORD, 'Ada reset the password of Bob'],
  [passwordChangeLog.path, { ...PASSWORD, user: 'Ada(ada)' }, 'Ada changed their own password'],
])('a row of %s reads as a sentence: %#', async (path, row, sentence) => {
  open(path, row)
  expect(await screen.findByRole('button', { name: sentence })).toBeTruthy()
})

test('a sign-in opens into who, how and from where, and leads to the session that followed and to what was changed', async () => {
  open(loginLog.path, SIGN_IN)
  await userEvent.click(await screen.findByRole('button', { name: /ada signed in/ }))
  const dialog = await screen.findByRole('dialog')
  for (const words of ['10.0.0.8 (LAN)', 'Firefox 143 · Windows', 'Password + MFA', 'Success'])
    expect(dialog.textContent).toContain(words)
  await within(dialog).findByRole('link', { name: 'Ada → web-1' })
  expect(hrefs(dialog)).toEqual([
    '/users/users/u1',
    '/terminal/sessions/s1',
    '/audits/operate-log?sign_in_id=i1&date_from=2026-01-31T09%3A00%3A00.000Z',
    '/audits/ftp-log?sign_in_id=i1&date_from=2026-01-31T09%3A00%3A00.000Z',
  ])
})

test('a file leads to who moved it, the machine, the session it went through, and the sign-in', async () => {
  open(ftpLog.path, FILE)
  await userEvent.click(await screen.findByRole('button', { name: /Ada uploaded/ }))
  const dialog = await screen.findByRole('dialog')
  await within(dialog).findByRole('button', { name: 'ada signed in: Password + MFA' })
  expect(hrefs(dialog)).toEqual(['/users/users/u1', '/assets/assets/a1', '/terminal/sessions/s1'])
})

test('a password change leads to both people', async () => {
  open(passwordChangeLog.path, PASSWORD)
  await userEvent.click(await screen.findByRole('button', { name: /Ada reset the password/ }))
  expect(hrefs(await screen.findByRole('dialog'))).toEqual(['/users/users/u2', '/users/users/u1'])
})
